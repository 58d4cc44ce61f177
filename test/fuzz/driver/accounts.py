"""The two accounts: how each proves who it is, and what of its own must never stand in an answer to the other."""

import threading
from dataclasses import dataclass, field

import requests


SESSION = "__Host-rowferry"
# What no token may do. The fuzzed service has no sign-in with OpenID Connect, so a link begins with 404.
BY_SESSION = {"signOut", "linkOidc", "unlinkOidc"}
# Of them, those that succeed.
ENDING = {"signOut", "unlinkOidc"}


@dataclass
class Account:
    name: str
    # Of a session that the fuzzer does not know, by which a new token is minted when it revoked the one in use.
    cookie: str
    password: str
    # A quote for the databases that answer.
    estimate: str
    # Text that stands in everything that is this account's.
    canary: str
    email: str
    # Ids of its migrations, teams and tokens, which the other account tries.
    ids: dict[str, list[str]]
    # Operation -> ids of migrations with which it succeeds; one that it changes is for one time.
    suited: dict[str, list[str]]
    # In plain text, as they were used.
    tokens: set[str] = field(default_factory=set)
    # Values of the cookie, as they were used.
    sessions: set[str] = field(default_factory=set)

    def __post_init__(self):
        self.tokens = set(self.tokens)


class Tokens:
    """An AuthProvider of schemathesis: a token of the account, and another one once it is not taken any more."""

    def __init__(self, account: Account, base_url: str, ca: str):
        self.account = account
        self.base_url = base_url
        self.session = requests.Session()
        self.session.trust_env = False
        self.session.verify = ca
        self.session.headers.update({"Cookie": account.cookie, "Origin": base_url})
        self.lock = threading.Lock()

    def _sign_in(self):
        """Another session, in which whoever asks by it is the account."""
        with requests.Session() as session:
            session.trust_env = False
            session.verify = self.session.verify
            body = {"email": self.account.email, "password": self.account.password}
            answer = session.post(f"{self.base_url}/api/session", json=body, timeout=30)
            return answer.cookies[SESSION]

    def _mint(self):
        return self.session.post(f"{self.base_url}/api/tokens", json={"name": f"{self.account.canary}-fuzz"}, timeout=30)

    def _make_room(self):
        """An account has a bounded number of tokens, and the fuzzer mints many."""
        listed = self.session.get(f"{self.base_url}/api/tokens?limit=5", timeout=30).json()["data"]
        for token in listed:
            self.session.delete(f"{self.base_url}/api/tokens/{token['id']}", timeout=30)

    def get(self, case, context):
        with self.lock:
            answer = self._mint()
            if answer.status_code == 401:
                # Who signs out often ends all sessions.
                self.session.headers["Cookie"] = f"{SESSION}={self._sign_in()}"
                answer = self._mint()
            if answer.status_code == 409:
                self._make_room()
                answer = self._mint()
            if answer.status_code != 201:
                raise RuntimeError(f"no token for {self.account.name}: {answer.status_code} {answer.text}")
            token = answer.json()["token"]
            self.account.tokens.add(token)
            return token

    def act_at_home(self):
        """The acting team is the personal one again: what is asked for stands there, most of it."""
        self.session.post(f"{self.base_url}/api/teams/{self.account.ids['teams'][0]}/switch", timeout=30)

    def set(self, case, data, context):
        if case.operation.definition.raw.get("operationId") in BY_SESSION:
            value = self._sign_in()
            self.account.sessions.add(value)
            case.cookies[SESSION] = value
            case.headers["Origin"] = self.base_url
            return
        case.headers["Authorization"] = f"Bearer {data}"
