"""What every answer is held against, whoever asked and why: also those to the probes that schemathesis' checks send."""

import threading
from urllib.parse import unquote_plus

from schemathesis.transport.requests import RequestsTransport

PROBLEM = "application/problem+json"


class Watch:
    """Counts requests, ends the run at its share of them, and collects what is wrong with any answer."""

    def __init__(self, accounts, secrets):
        self.accounts = accounts
        self.secrets = secrets
        self.requests = 0
        self.checks = 0
        self.statuses = {}
        # Operation -> how often it answered with success.
        self.successes = {}
        # Since somebody last looked.
        self.switched = False
        self.faults = {}
        self.stop_at = 0
        self.stream = None
        self.lock = threading.Lock()

    def install(self):
        plain = RequestsTransport.send

        def send(transport, case, **kwargs):
            response = plain(transport, case, **kwargs)
            with self.lock:
                self._see(case, response)
            return response

        RequestsTransport.send = send

    def _see(self, case, response):
        self.requests += 1
        self.statuses[response.status_code] = self.statuses.get(response.status_code, 0) + 1
        label = case.operation.label
        self.successes[label] = self.successes.get(label, 0) + (200 <= response.status_code < 300)
        if response.status_code == 200 and label.endswith("/switch"):
            self.switched = True
        if self.stream is not None and self.requests >= self.stop_at:
            self.stream.stop()
        for fault in self._faults(response):
            self.checks += 1
            if fault is not None:
                where = f"{response.request.method} {case.operation.label.split(' ', 1)[-1]} -> {response.status_code}: {fault}"
                self.faults.setdefault(where, f"{response.request.url[:500]}\n{response.content[:1000]!r}")

    def _faults(self, response):
        yield None if "x-request-id" in response.headers else "no X-Request-Id"
        type_of = (response.headers.get("content-type") or [""])[0]
        plain = response.status_code < 400 or response.request.method == "HEAD" or type_of == PROBLEM
        yield None if plain else f"an error of type {type_of!r}, not {PROBLEM}"
        shown = response.content.decode("utf-8", "replace") + repr(response.headers)
        for secret in self.secrets:
            yield f"shows a password of a URL ({secret})" if secret in shown else None
        asked = f"{unquote_plus(response.request.url)} {_text(response.request.body)}"
        for account in self.accounts:
            if self._is_of(account, response):
                continue
            path = response.request.path_url.split("?")[0]
            # OPTIONS tells what a path takes, alike for an id that nobody has (test/api/http.test.ts).
            asks = response.request.method != "OPTIONS"
            theirs = asks and any(one in path for ids in account.ids.values() for one in ids)
            yield f"an id of {account.name} is answered" if theirs and response.status_code < 300 else None
            for own in (account.canary, account.email):
                # Who sent it has it from elsewhere.
                yield f"shows {account.name}'s data ({own})" if own in shown and own not in asked else None

    @staticmethod
    def _is_of(account, response):
        cookie = response.request.headers.get("Cookie") or ""
        if any(value in cookie for value in account.sessions):
            return True
        given = response.request.headers.get("Authorization") or ""
        if isinstance(given, bytes):
            given = given.decode("latin-1")
        return given.removeprefix("Bearer ") in account.tokens


def _text(body):
    return body.decode("utf-8", "replace") if isinstance(body, bytes) else str(body or "")
