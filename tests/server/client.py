"""A client of `panto serve`, written from assets/protocol.md and the standard library alone.

    python3 client.py SOCKET TOKEN-FILE PAGE PROJECT

drives every method of the page and prints a JSON object: the methods driven, the events heard, and the fields that it was
told but that are not on the page. `PROJECT/go` ends the command that the scripted model runs.
"""
import json
import os
import re
import socket
import struct
import sys


# ---------------------------------------------------------------- CBOR, as far as the page has it
def head(major, n):
    if n < 24:
        return bytes([major << 5 | n])
    for info, size in ((24, 1), (25, 2), (26, 4), (27, 8)):
        if n < 1 << (8 * size):
            return bytes([major << 5 | info]) + n.to_bytes(size, "big")
    raise ValueError("too large: %d" % n)


def encode(value):
    if value is None:
        return b"\xf6"
    if isinstance(value, bool):
        return b"\xf5" if value else b"\xf4"
    if isinstance(value, int):
        return head(0, value) if value >= 0 else head(1, -1 - value)
    if isinstance(value, float):
        return b"\xfb" + struct.pack(">d", value)
    if isinstance(value, str):
        text = value.encode()
        return head(3, len(text)) + text
    if isinstance(value, (list, tuple)):
        return head(4, len(value)) + b"".join(encode(one) for one in value)
    return head(5, len(value)) + b"".join(encode(key) + encode(one) for key, one in value.items())


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, n):
        piece = self.data[self.at:self.at + n]
        if len(piece) < n:
            raise ValueError("the item is cut")
        self.at += n
        return piece

    def item(self, depth=0):
        if depth > 64:
            raise ValueError("too deep")
        first, = self.take(1)
        major, info = first >> 5, first & 31
        if major == 7:
            if info in (20, 21, 22):
                return {20: False, 21: True, 22: None}[info]
            size, form = {25: (2, ">e"), 26: (4, ">f"), 27: (8, ">d")}[info]
            return struct.unpack(form, self.take(size))[0]
        if info < 24:
            n = info
        elif info < 28:
            n = int.from_bytes(self.take(1 << (info - 24)), "big")
        else:
            raise ValueError("an indefinite length")
        if major in (0, 1):
            if n > 1 << 53:
                raise ValueError("beyond 2^53")
            return n if major == 0 else -1 - n
        if major == 3:
            return self.take(n).decode()
        if major == 4:
            return [self.item(depth + 1) for _ in range(n)]
        if major == 5:
            value = {}
            for _ in range(n):
                key = self.item(depth + 1)
                if not isinstance(key, str) or key in value:
                    raise ValueError("a key %r" % (key,))
                value[key] = self.item(depth + 1)
            return value
        raise ValueError("major type %d" % major)


# ---------------------------------------------------------------- the client
class Refused(Exception):
    def __init__(self, error):
        super().__init__("%(code)s: %(message)s" % error)
        self.code = error["code"]


class Client:
    def __init__(self, path, token):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(60)
        self.sock.connect(path)
        self.stream = self.sock.makefile("rb")
        self.number, self.answers, self.events, self.heard, self.driven = 0, {}, [], set(), set()
        self.write({"type": "hello", "version": 1, "token": token})
        self.greeting = self.read()
        assert self.greeting["type"] == "hello", self.greeting

    def write(self, frame):
        data = encode(frame)
        self.sock.sendall(struct.pack(">I", len(data)) + data)

    def read(self):
        size = self.stream.read(4)
        if len(size) < 4:
            raise EOFError("the connection was closed")
        size, = struct.unpack(">I", size)
        assert 0 < size <= 16 << 20, size
        reader = Reader(self.stream.read(size))
        frame = reader.item()
        assert reader.at == size, "something follows the item"
        return frame

    def hear(self):
        frame = self.read()
        if frame["type"] == "event":
            self.events.append(frame)
            self.heard.add(frame["event"])
            learn(frame["data"])
        else:
            assert frame["type"] == "response", frame
            self.answers[frame["id"]] = frame

    def send(self, method, **params):
        self.driven.add(method)
        self.number += 1
        self.write({"type": "request", "id": self.number, "method": method, "params": params})
        return self.number

    def result(self, number):
        while number not in self.answers:
            self.hear()
        answer = self.answers.pop(number)
        if not answer["ok"]:
            raise Refused(answer["error"])
        learn(answer["result"])
        return answer["result"]

    def ask(self, method, **params):
        return self.result(self.send(method, **params))

    def refused(self, code, method, **params):
        try:
            told = self.ask(method, **params)
        except Refused as why:
            assert why.code == code, "%s: %s" % (method, why)
            return
        raise AssertionError("%s was not refused: %r" % (method, told))

    def until(self, name, fits=lambda data: True):
        while True:
            for event in self.events:
                if event["event"] == name and fits(event["data"]):
                    return event["data"]
            self.hear()


# ---------------------------------------------------------------- is what it hears on the page?
FIELDS = set()
OPEN = {"input", "details", "data", "rendered", "element", "widgets", "status_items", "reply", "diff", "value"}


def learn(value):
    """Notes the fields of everything that has a shape of the page's."""
    if isinstance(value, list):
        for one in value:
            learn(one)
    elif isinstance(value, dict):
        for key, one in value.items():
            FIELDS.add(key)
            if key not in OPEN:
                learn(one)


def texts(item):
    return "".join(part.get("text", "") for part in item["content"])


# ---------------------------------------------------------------- every method
def lists(client, project):
    models = client.ask("list_models")["models"]
    assert all(":" in model["ref"] and "thinking" in model for model in models), models
    rows = client.ask("list", scope="here", cwd=project, strict=False)["sessions"]
    assert len(rows) == 1 and rows[0]["epoch"] == 0 and "transcript" not in rows[0], rows
    client.refused("invalid_request", "list", scope="everywhere")
    return rows[0]


def talk(client, sid, project):
    done = client.ask("prompt", session_id=sid, text="hello")["session"]
    assert texts(done["transcript"][-1]) == "ANSWER", done
    client.refused("invalid_request", "steer", session_id=sid, text="too early")
    client.refused("invalid_request", "background_tools", session_id=sid)
    turn = client.send("prompt", session_id=sid, text="work", images=[])
    client.until("item_started", lambda data: data["item"]["role"] == "tool")
    client.refused("busy", "prompt", session_id=sid, text="me too")
    assert client.ask("steer", session_id=sid, text="STEER")["session"]["queued_steer"] == ["STEER"]
    assert client.ask("follow_up", session_id=sid, text="LATER")["session"]["follow_ups"] == ["LATER"]
    taken = client.ask("take_back", session_id=sid)["reply"]
    assert taken == {"kind": "returned", "value": ["LATER"]}, taken
    assert client.ask("changes", session_id=sid, epoch=done["epoch"], revision=done["revision"])["items"]
    open(os.path.join(project, "go"), "w").close()
    done = client.result(turn)["session"]
    assert done["phase"] == "idle" and "STEER" in [texts(item) for item in done["transcript"]], done
    os.remove(os.path.join(project, "go"))
    turn = client.send("prompt", session_id=sid, text="work", wait=True)
    started = client.until("item_started", lambda data: data["item"]["role"] == "tool"
                           and data["item"]["id"] not in [item["id"] for item in done["transcript"]])
    assert client.ask("cancel_tools", session_id=sid, call_id=started["item"]["tool_call_id"])["reply"]["kind"] == "done"
    client.result(turn)
    assert client.ask("prompt", session_id=sid, text="hello again", wait=False)["session"]["id"] == sid
    assert client.ask("abort", session_id=sid)["returned"] == []
    while client.ask("attach", session_id=sid)["session"]["phase"] != "idle":
        client.hear()
    for item in client.ask("attach", session_id=sid)["session"]["transcript"]:
        assert client.ask("read_item", session_id=sid, item_id=item["id"], offset=0, limit=10)["item"]["size"] >= 0


def settings(client, sid):
    assert client.ask("set_model", session_id=sid, model="env:other")["session"]["model"] == "env:other"
    assert client.ask("set_thinking", session_id=sid, thinking="low")["session"]["thinking"] == "low"
    client.refused("invalid_request", "set_thinking", session_id=sid, thinking="max")
    assert client.ask("set_mode", session_id=sid, mode="plan")["session"]["mode"] == "plan"
    assert client.ask("set_mode", session_id=sid, mode="auto")["session"]["mode"] == "auto"
    client.refused("invalid_request", "set_mode", session_id=sid, mode="yolo")
    assert client.ask("rename", session_id=sid, name="Red Lamp")["session"]["name"] == "Red Lamp"
    assert "session" in client.ask("compact", session_id=sid, focus="lamps")


def tree(client, sid):
    items = client.ask("attach", session_id=sid)["session"]["transcript"]
    session = client.ask("attach", session_id=sid)["session"]
    page = client.ask("read_items", session_id=sid, epoch=session["epoch"], before=len(items))
    assert page["from"] == 0 and len(page["items"]) == len(items), page
    fork = client.ask("fork", session_id=sid, entry_id=items[-1]["id"])["session"]
    assert fork["id"] != sid
    first = client.ask("fork_at", session_id=sid, to={"before": items[0]["id"]})
    assert first["prompt"] == "hello" and first["session"]["transcript"] == [], first
    users = [node for node in client.ask("tree", session_id=sid)["reply"]["value"]["nodes"] if node["prompt"]]
    assert client.ask("label", session_id=sid, entry_id=users[0]["id"], label="start")["reply"]["kind"] == "done"
    assert client.ask("branch", session_id=sid, entry_id=users[0]["id"])["session"]["id"] == sid
    back = client.ask("branch_to", session_id=sid, to={"before": users[0]["id"]})["reply"]
    assert back == {"kind": "branched", "value": {"prompt": "hello"}}, back
    client.ask("branch_to", session_id=sid, to="left")
    return fork["id"]


def faces(client, sid, project):
    assert client.ask("shell", session_id=sid, line="echo SHELL", to_model=False)["reply"]["kind"] == "done"
    client.until("item_finished", lambda data: "SHELL" in json.dumps(data) and data["item"]["role"] == "tool")
    command = client.send("run_command", session_id=sid, name="ask", args="")
    ask = client.until("asked")["ask"]
    assert client.ask("answer", session_id=sid, ask_id=ask["id"], response="yes")["reply"]["kind"] == "done"
    client.result(command)
    kinds = {
        "complete": ("completions", {"name": "ask", "prefix": ""}),
        "press": ("done", {"function": 1}),
        "trust": ("done", {"trust": True}),
        "list_files": ("files", {}),
        "peek_file": ("excerpt", {"path": "nothing.txt", "line": 3}),
        "list_symbols": ("symbols", {}),
        "list_mentions": ("completions", {}),
        "stop_all_jobs": ("done", {}),
        "list_keys": ("keys", {}),
        "find_models": ("models", {}),
        "list_paths": ("completions", {"prefix": project + "/"}),
        "list_tools": ("tools", {}),
        "list_extensions": ("extensions", {}),
        "list_sessions": ("sessions", {"scope": "all", "query": "hello"}),
        "reload": ("text", {}),
        "enable_extension": ("text", {"name": "asks", "on": False}),
        "export": ("text", {"path": os.path.join(project, "out.md")}),
        "append_custom": ("text", {"name": "mine.state", "data": {"n": [1, 2.5, None]}}),
        "entries": ("entries", {}),
        "state": ("state", {}),
        "idle": ("state", {}),
        "active_tools": ("names", {}),
    }
    for method, (kind, params) in kinds.items():
        reply = client.ask(method, session_id=sid, **params)["reply"]
        assert reply["kind"] == kind, "%s: %r" % (method, reply)
    turns = len([e for e in client.events if e["event"] == "turn_ended"])
    client.ask("send", session_id=sid, text="sent", how="prompt")
    while len([e for e in client.events if e["event"] == "turn_ended"]) == turns:
        client.hear()
    client.refused("not_found", "approve", session_id=sid, approval_id="none", answer="no")
    client.refused("not_found", "job_stop", session_id=sid, job_id="none")
    client.refused("not_found", "job_message", session_id=sid, job_id="none", text="hello")
    client.refused("not_found", "watch_child", session_id=sid, child_id="none")
    client.refused("not_found", "tell_child", session_id=sid, child_id="none", text="hello")
    client.ask("unwatch_child", session_id=sid, child_id="none")
    client.refused("invalid_request", "login", session_id=sid, provider="nobody", key="none")
    client.refused("not_found", "logout", session_id=sid, provider="nobody")
    client.refused("not_found", "import", session_id=sid, path=os.path.join(project, "nothing"), again=False)


def files(client, sid, row):
    path = row["path"]
    preview = client.ask("preview_session", session_id=sid, path=path)["reply"]["value"]["exchange"]
    assert preview[0][1] == "OLD QUESTION", preview
    rows = client.ask("list_sessions", session_id=sid, scope="all")["reply"]["value"]
    found = client.ask("search_sessions", session_id=sid, query="OLD QUESTION", among=rows)["reply"]
    assert found == {"kind": "found", "value": [path]}, found
    assert client.ask("list_children", session_id=sid, path=path)["reply"] == {"kind": "sessions", "value": []}
    client.ask("rename_session", session_id=sid, path=path, name="Old")
    client.ask("delete_session", session_id=sid, path=path)
    assert row["id"] not in [one["id"] for one in client.ask("list")["sessions"]]


def main():
    path, token, page, project = sys.argv[1:]
    with open(token) as file:
        client = Client(path, file.readline().strip())
    assert set(client.greeting["snapshot"]) >= {"revision", "sessions", "models"}
    learn(client.greeting["snapshot"])
    row = lists(client, project)
    made = client.ask("create", cwd=project, name="mine", model="env:scripted", thinking="medium")["session"]
    sid = made["id"]
    assert (made["attached"], made["transcript"]) == (False, []), made
    client.refused("invalid_request", "prompt", session_id=sid, text="not attached")
    assert client.ask("attach", session_id=sid, mode="write")["session"]["attached"]
    talk(client, sid, project)
    fork = tree(client, sid)
    settings(client, sid)
    faces(client, sid, project)
    files(client, sid, row)
    assert client.ask("release", session_id=sid, by="the test") == {}
    client.refused("session_locked", "prompt", session_id=sid, text="no more")
    assert client.ask("detach", session_id=sid) == {"session_id": sid}
    assert client.ask("attach", session_id=fork)["session"]["id"] == fork
    with open(page) as file:
        known = set(re.findall(r"[a-z_]+", file.read()))
    print(json.dumps({"driven": sorted(client.driven), "heard": sorted(client.heard), "unknown": sorted(FIELDS - known)}))


if __name__ == "__main__":
    main()
