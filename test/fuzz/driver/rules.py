"""
What a schema cannot say, so that a check can be held all the same: cases are given the values that only the world has (a database that may
be dialled, a time to come, a canary), and each refusal that stays is named here with its operation, its field and its reason. A check is
off for nothing else.
"""

import json
import re
import zlib

import certifi
from schemathesis.core.parameters import ParameterLocation

# (operation, code of the answer, field that it names or None for any) -> why a schema cannot say it.
REFUSALS = {
    ("createMigration", "url_refused", None): "the host must be public, and no example out of documentation",
    ("retryMigration", "url_refused", None): "the host must be public, and no example out of documentation",
    ("retryMigration", "invalid", "options"): "a Migration is kept in etcd whole: URLs and options are bounded together",
    ("retryMigration", "idempotency_key_reused", None): "the key was used with another body",
    ("retryMigration", "invalid", "target_url"): "the target is another database, and the copy stays of its kind",
    ("createMigration", "invalid", "options"): "a Migration is kept in etcd whole: URLs and options are bounded together",
    ("createMigration", "invalid", "target_url"): "the target is another database than the source",
    ("createMigration", "estimate_refused", "estimate_id"): "an estimate is signed",
    ("createMigration", "idempotency_key_reused", None): "the key was used with another body",
    ("createMigration", "body_too_large", None): "a thousand long patterns are more than a body may have",
    ("estimateMigration", "body_too_large", None): "a thousand long patterns are more than a body may have",
    ("preflightMigration", "body_too_large", None): "a thousand long patterns are more than a body may have",
    ("resetMigration", "idempotency_key_reused", None): "the key was used with another body",
    ("estimateMigration", "source_unreachable", None): "the source must answer",
    ("signUp", "invalid", "password"): "its bounds are of bytes",
    ("changePassword", "invalid", "new_password"): "its bounds are of bytes",
    ("changePassword", "invalid", "password"): "it must be the present one",
    ("listMigrations", "invalid", "cursor"): "a cursor is signed",
    ("getMigrationLogs", "invalid", "cursor"): "a cursor is signed",
    ("createBackup", "url_refused", None): "the host must be public, and no example out of documentation",
    ("createBackup", "invalid", "database_url"): "a PostgreSQL database",
    ("updateBackup", "invalid", "database_url"): "a PostgreSQL database",
    ("createBackup", "invalid", "cron"): "interval or cron, not both",
    ("createBackup", "invalid", "time_zone"): "a name of the IANA database",
    ("createBackup", "invalid", "retention"): "a number above 0",
    ("createBackup", "invalid", "storage.prefix"): "no two dots in a row",
    ("createBackup", "invalid", "verification.policy"): "for other recipients the service cannot verify",
    ("createBackup", "idempotency_key_reused", None): "the key was used with another body",
    ("updateBackup", "url_refused", None): "the host must be public, and no example out of documentation",
    ("updateBackup", "invalid", "body"): "at least one field",
    ("updateBackup", "invalid", "cron"): "interval or cron, not both",
    ("updateBackup", "invalid", "database_ca"): "a CA goes with its URL",
    ("updateBackup", "invalid", "time_zone"): "a name of the IANA database",
    ("updateBackup", "invalid", "retention"): "a number above 0",
    ("updateBackup", "invalid", "storage.prefix"): "no two dots in a row",
    ("updateBackup", "invalid", "verification.policy"): "for other recipients the service cannot verify",
    ("runBackup", "idempotency_key_reused", None): "the key was used with another body",
    ("restoreBackup", "url_refused", None): "the host must be public, and no example out of documentation",
    ("restoreBackup", "invalid", "target_url"): "a database of the backup's engine",
    ("restoreBackup", "target_unreachable", None): "the target must answer",
    ("restoreBackup", "idempotency_key_reused", None): "the key was used with another body",
    ("listBackups", "invalid", "cursor"): "a cursor is signed",
    ("listBackupRuns", "invalid", "cursor"): "a cursor is signed",
    ("listRestores", "invalid", "cursor"): "a cursor is signed",
    ("listTokens", "invalid", "cursor"): "a cursor is signed",
    ("listTeams", "invalid", "cursor"): "a cursor is signed",
    ("listMembers", "invalid", "cursor"): "a cursor is signed",
    ("listAccountEvents", "invalid", "cursor"): "a cursor is signed",
}
# How often each was met.
explained = {}
PAIRS = {"createMigration", "preflightMigration", "estimateMigration"}
NAMED = {"createTeam", "createToken", "createBackup", "updateBackup"}
# Field of a database -> whether the pair's source or its target is of the right engine.
DATABASES = {"database_url": "target", "target_url": "target"}
BACKUPS = {"createBackup", "updateBackup", "restoreBackup"}
FUTURE = "2199"
# No generated text is a certificate.
CERTIFICATE = re.search(r"-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----", certifi.contents(), re.S).group()


def problem_of(response):
    try:
        body = json.loads(response.content)
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def is_explained(operation, response):
    """Whether the refusal of a case that is right by the schema is one of those that are named above."""
    problem = problem_of(response)
    code = problem.get("code")
    fields = {error.get("field") for error in problem.get("errors", [])} or {None}
    keys = [(operation, code, None if (operation, code, None) in REFUSALS else field) for field in fields]
    if not all(key in REFUSALS for key in keys):
        return False
    for key in keys:
        words = f"{operation} {code} {key[2] or ''}".strip()
        explained[words] = explained.get(words, 0) + 1
    return True


def pick(case, many):
    """A number below `many` that follows from the case alone, since the fuzzer plays a case again and expects the same."""
    return zlib.crc32(repr((case.operation.label, case.body, case.query, case.path_parameters)).encode()) % many


def install(schemathesis, me, other, urls, live, coverage_share):
    """
    `urls`, `live`: a pair of databases at which nothing listens, and of ones that answer; `coverage_share`: of the enumerated cases, how many
    in a hundred are played.
    """

    @schemathesis.hook
    def filter_case(context, case):
        phase = case.meta.phase.name.value if case.meta else ""
        return phase != "coverage" or coverage_share >= 100 or pick(case, 100) < coverage_share

    @schemathesis.hook
    def map_case(context, case):
        name = case.operation.definition.raw.get("operationId")
        try_known_ids(case, me, other)
        if case.meta is None or not case.meta.generation.mode.is_positive:
            return case
        # None but those that an answer gave is one.
        if isinstance(case.query, dict) and "cursor" in case.query and pick(case, 4) > 0:
            case.query = {key: value for key, value in case.query.items() if key != "cursor"}
        if not isinstance(case.body, dict):
            return case
        body = dict(case.body)
        # Databases are dialled at this machine's own address only; a create dials none, so there some stay as generated.
        # One that answers costs a second of the processor.
        pair = live if pick(case, 7) == 0 else urls
        if name in PAIRS and (name != "createMigration" or pick(case, 4) > 0):
            body.update(source_url=pair["source"], target_url=pair["target"])
            if pair is live and isinstance(body.get("options"), dict):
                # Of another CA than the server's nothing is read.
                body["options"] = {key: value for key, value in body["options"].items() if not key.endswith("_ca")}
            if pair is live and "estimate_id" in body:
                body["estimate_id"] = me.estimate
        if isinstance(body.get("options"), dict):
            body["options"] = {
                key: CERTIFICATE if key.endswith("_ca") and isinstance(value, str) else value
                for key, value in body["options"].items()
            }
        if name in BACKUPS:
            for field, side in DATABASES.items():
                if field in body and pick(case, 4) > 0:
                    body[field] = pair[side]
            for field in ("database_ca", "target_ca"):
                if field in body and pair is live:
                    # With another CA than the server's, nothing can be read.
                    body.pop(field)
                elif isinstance(body.get(field), str):
                    body[field] = CERTIFICATE
            if isinstance(body.get("storage"), dict):
                # Most that is generated leads nowhere.
                body["storage"] = {key: value for key, value in body["storage"].items() if key != "endpoint" or pick(case, 4) == 0}
                if isinstance(body["storage"].get("ca"), str):
                    body["storage"]["ca"] = CERTIFICATE
            if "cron" in body and pick(case, 4) > 0:
                body["cron"] = "30 2 * * 1-5"
                body.pop("interval", None)
            if "time_zone" in body and pick(case, 4) > 0:
                body["time_zone"] = "Europe/Berlin"
        if name == "testConnection":
            body.update(url=pair["source"])
            body.pop("ca", None)
        if name in NAMED and isinstance(body.get("name"), str):
            body["name"] = f"{me.canary}-{body['name'][:40].strip()}".rstrip("-")
        if name == "signUp" and isinstance(body.get("password"), str):
            body["password"] = body["password"].ljust(10, "x")
        if name == "createToken" and isinstance(body.get("expires_at"), str):
            body["expires_at"] = FUTURE + body["expires_at"][4:].replace("-02-29", "-02-28")
        case.body = body
        return case

    @schemathesis.hook
    def filter_failure(context, failure, case, response):
        name = case.operation.definition.raw.get("operationId")
        kind = type(failure).__name__
        if kind == "RejectedPositiveData":
            return not is_explained(name, response)
        # The member that was removed is named by the query: the path of the DELETE is that of the list, which stays.
        if kind == "UseAfterFree":
            return not failure.operation.startswith("DELETE /api/teams/{team}/members")
        return True


# What ends or changes its migration: the account's own first ones stay, to be asked for.
CHANGING = {"deleteMigration", "resetMigration", "retryMigration", "deleteBackup"}


def kind_of(path):
    """Of what the parameter `id` of a path is."""
    for part, kind in (("/tokens/", "tokens"), ("/backups/", "backups"), ("/restores/", "restores")):
        if part in path:
            return kind
    return "migrations"


def ids_of(path, account):
    """Which of the account's ids stand for each parameter of a path; a run is of the schedule in the same place."""
    return {"team": account.ids["teams"], "id": account.ids[kind_of(path)], "run": account.ids["runs"]}


def paths_to(path, account):
    """The first two of them, as the parameters of a path that takes any."""
    taken = {name: ids for name, ids in ids_of(path, account).items() if f"{{{name}}}" in path}
    return [{name: ids[at] for name, ids in taken.items()} for at in range(2)] if taken else []


def try_known_ids(case, me, other):
    """
    Two cases in ten ask for what is the other account's, four for what was the account's own from the first, and of an operation that only
    some migrations suit six for one of these.
    """
    parameters = case.path_parameters
    if not parameters or (case.meta is not None and case.meta.is_negative_at(ParameterLocation.PATH)):
        return
    turn = pick(case, 10)
    name = case.operation.definition.raw.get("operationId")
    suited = me.suited.get(name)
    if turn > (7 if suited else 5) or (turn > 1 and not suited and (name in CHANGING or "/tokens/" in case.path)):
        return
    kinds = ids_of(case.path, other if turn < 2 else me)
    if turn > 1 and suited:
        kinds["id"] = suited
    # Members are those of the team that acts.
    if turn > 1 and name != "switchTeam":
        kinds["team"] = kinds["team"][:1]
    at = pick(case, 97)
    case.path_parameters = {
        parameter: kinds[parameter][at % len(kinds[parameter])] if kinds.get(parameter) else value
        for parameter, value in parameters.items()
    }
