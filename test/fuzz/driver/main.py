"""
Plays schemathesis against a running API as one of two accounts. Standard input: a JSON object, see play.ts. The last line of standard
output is a JSON object with the number of requests and checks and what failed.
"""

import json
import sys

import accounts
import rules
import schemathesis
from schemathesis.auths import AuthContext, CachingAuthProvider
from schemathesis.config import SchemathesisConfig
from schemathesis.core.failures import FailureGroup
from schemathesis.config._checks import NEGATIVE_DATA_REJECTION_EXPECTED_STATUSES
from schemathesis.engine import Status, events, from_schema
from schemathesis.wfc.escalation import EscalatingAuthProvider
from watch import Watch

REJECTIONS = [*NEGATIVE_DATA_REJECTION_EXPECTED_STATUSES, "413"]
DESCRIBED = [
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
]
# About how many cases the phases that enumerate the document have.
ENUMERATED = 1600


class Run:
    def __init__(self, given):
        self.given = given
        self.accounts = [accounts.Account(**one) for one in given["accounts"]]
        self.me, self.other = self.accounts
        self.watch = Watch(self.accounts, given["secrets"])
        self.checks = 0
        self.failures = {}
        tokens = [accounts.Tokens(one, given["base_url"], given["ca"]) for one in self.accounts]
        self.mine = tokens[0]
        self.identities = [CachingAuthProvider(one, refresh_interval=86_400) for one in tokens]

    def schema(self, phases, examples, seed):
        config = SchemathesisConfig.from_dict(
            {
                "seed": seed,
                "base-url": self.given["base_url"],
                "tls-verify": self.given["ca"],
                "request-timeout": 60,
                "continue-on-failure": True,
                # A body that is wrong may be too large besides.
                "checks": {"enabled": True, "negative_data_rejection": {"expected-statuses": REJECTIONS}},
                "generation": {"max-examples": examples, "no-shrink": True, "database": "none"},
                "phases": {name: {"enabled": name in phases} for name in ("examples", "coverage", "fuzzing", "stateful")},
                "suppress-health-check": ["all"],
                # A stream goes on for as long as its migration does.
                "operations": [
                    {"include-operation-id": "streamMigrationEvents", "request-timeout": 1, "max-stream-events": 3}
                ],
            }
        )
        schema = schemathesis.openapi.from_dict(self.given["document"], config=config)
        names = [one.name for one in self.accounts]
        # Objects of one are asked for by the other too: schemathesis' check of object-level authorization.
        schema.auth.providers.append(
            EscalatingAuthProvider(self.identities, names, peers=tuple(names), pinned=self.me.name)
        )
        return schema

    def ask_for_the_others(self):
        """Every operation that takes an id, for each kind of ids of the other account: 403 or 404, whatever is done with it."""
        schema = self.schema((), 1, self.given["seed"])
        needed = {
            "addMember": {"body": {"email": self.me.email, "role": "member"}, "media_type": "application/json"},
            "joinTeam": {"body": {"code": "0" * 40}, "media_type": "application/json"},
            "updateBackup": {"body": {"suspend": True}, "media_type": "application/json"},
            "restoreBackup": {
                "body": {"target_url": self.given["urls"]["target"]},
                "media_type": "application/json",
            },
            "removeMember": {"query": {"account": f"a{'0' * 40}"}},
        }
        for found in schema.get_all_operations():
            operation = found.ok()
            name = operation.definition.raw.get("operationId")
            for path in rules.paths_to(operation.path, self.other):
                case = operation.Case(path_parameters=path, **needed.get(name, {}))
                schema.auth.set(case, AuthContext(operation=operation, app=None))
                response = case.call()
                self.checks += 1
                if response.status_code not in (403, 404):
                    what = f"{operation.label}: {response.status_code} for what is the other account's"
                    self.failures.setdefault(what, f"{path}\n{response.content[:600]!r}")

    def ask_for_its_own(self):
        """Every operation that only some migrations suit, with one of these, signing out and unlinking: success, as it is described."""
        schema = self.schema((), 1, self.given["seed"])
        for found in schema.get_all_operations():
            operation = found.ok()
            name = operation.definition.raw.get("operationId")
            if name not in self.me.suited and name not in accounts.ENDING:
                continue
            path = {"path_parameters": {"id": self.me.suited[name][0]}} if name in self.me.suited else {}
            case = operation.Case(**path)
            schema.auth.set(case, AuthContext(operation=operation, app=None))
            response = case.call()
            self.checks += 1
            what = f"{operation.label}: {response.status_code} where it should succeed"
            if response.status_code >= 300:
                self.failures.setdefault(what, f"{path}\n{response.content[:600]!r}")
                continue
            try:
                case.validate_response(response, checks=schemathesis.checks.CHECKS.get_by_names(DESCRIBED))
            except FailureGroup as error:
                self.failures.setdefault(f"{operation.label}: not as described", "\n".join(map(str, error.exceptions))[:3000])

    def play(self, phases, share, examples, seed):
        """Plays these phases until they end or `share` requests were made."""
        stream = from_schema(self.schema(phases, examples, seed)).execute()
        self.watch.stop_at = self.watch.requests + share
        self.watch.stream = stream
        for event in stream:
            if isinstance(event, events.ScenarioFinished):
                self.learn(event.recorder)
            elif isinstance(event, events.NonFatalError):
                self.failures.setdefault(f"{event.label}: {event.info.title}", f"{event.info.message}\n{event.value!r}")
            elif isinstance(event, events.FatalError):
                self.failures.setdefault("the fuzzer ended", repr(event.exception))
        self.watch.stream = None

    def learn(self, recorder):
        if self.watch.switched:
            self.watch.switched = False
            self.mine.act_at_home()
        for case_id, nodes in recorder.checks.items():
            self.checks += len(nodes)
            for node in nodes:
                if node.status != Status.SUCCESS and node.failure_info is not None:
                    self.fail(recorder, case_id, node)

    def fail(self, recorder, case_id, node):
        failure = node.failure_info.failure
        response = recorder.find_response(case_id=case_id)
        answer = "" if response is None else f"{response.status_code} {response.content[:600]!r}"
        self.failures.setdefault(
            f"{failure.operation}: {failure.title} ({node.name})",
            f"{failure.message[:1500]}\n{node.failure_info.code_sample[:3000]}\n{answer}",
        )

    def all(self):
        total, seed = self.given["requests"], self.given["seed"]
        enumerated = int(total * 0.45)
        rules.install(schemathesis, self.me, self.other, self.given["urls"], self.given["live"], 100 * enumerated // ENUMERATED)
        self.watch.install()
        self.ask_for_the_others()
        self.say("what is the other account's")
        self.ask_for_its_own()
        self.say("what is its own")
        self.play(("examples", "coverage"), max(enumerated, 1), 1, seed)
        self.say("the enumerated cases")
        self.play(("stateful",), total // 4, max(total // 20, 5), seed)
        self.say("chains of calls by links")
        turn = 0
        while self.watch.requests < total:
            left, before = total - self.watch.requests, self.watch.requests
            self.play(("fuzzing",), left, max(left // 40, 2), seed + turn)
            self.say("random cases")
            turn += 1
            if self.watch.requests == before:
                self.failures.setdefault("the fuzzer makes no more requests", "")
                break

    def say(self, what):
        print(f"{self.me.name}: {self.watch.requests} requests after {what}", file=sys.stderr, flush=True)


def main():
    run = Run(json.load(sys.stdin))
    run.all()
    failures = {**run.failures, **run.watch.faults}
    print(
        json.dumps(
            {
                "requests": run.watch.requests,
                "checks": run.checks + run.watch.checks,
                "statuses": run.watch.statuses,
                "successes": run.watch.successes,
                "explained": rules.explained,
                "failures": [{"what": what, "how": how} for what, how in failures.items()],
            }
        )
    )


main()
