"""HTTP: routes, JSON in and out, one request at a time through the book."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock
from urllib.parse import parse_qsl, unquote

from invoicebook import page, reports
from invoicebook.book import Book, today_of
from invoicebook.errors import ApiError
from invoicebook.listing import Query, paged

MOST_BYTES = 65536


@dataclass
class Request:
    method: str
    segments: list[str]
    query: Query
    headers: dict[str, str]
    content: bytes
    today: date

    def body(self) -> object:
        """JSON, or an empty object where nothing was sent."""
        if not self.content:
            return {}
        try:
            return json.loads(self.content.decode(), parse_constant=_refuse)
        except (ValueError, RecursionError):
            raise ApiError(400, "bad-json", "the body is not valid JSON") from None


@dataclass
class Answer:
    status: int
    body: object = None
    headers: dict[str, str] = field(default_factory=dict)


Action = Callable[[Book, Request], Answer]


def _refuse(word: str) -> None:
    raise ValueError(word)


def health(book: Book, request: Request) -> Answer:
    return Answer(200, {"status": "ok"})


def list_customers(book: Book, request: Request) -> Answer:
    body, headers = paged(
        book.customers.find(request.query), request.query, lambda each: each.show()
    )
    return Answer(200, body, headers)


def add_customer(book: Book, request: Request) -> Answer:
    made = book.customers.add(request.body())
    return Answer(201, made.show(), {"Location": f"/customers/{made.id}", "ETag": made.etag})


def get_customer(book: Book, request: Request) -> Answer:
    found = book.customers.get(request.segments[1])
    return Answer(200, found.show(), {"ETag": found.etag})


def change_customer(book: Book, request: Request) -> Answer:
    expected = request.headers.get("if-match")
    changed = book.customers.change(request.segments[1], request.body(), expected)
    return Answer(200, changed.show(), {"ETag": changed.etag})


def remove_customer(book: Book, request: Request) -> Answer:
    book.remove_customer(request.segments[1])
    return Answer(204)


def list_products(book: Book, request: Request) -> Answer:
    body, headers = paged(
        book.products.find(request.query), request.query, lambda each: each.show()
    )
    return Answer(200, body, headers)


def get_product(book: Book, request: Request) -> Answer:
    return Answer(200, book.products.get(request.segments[1]).show())


def put_product(book: Book, request: Request) -> Answer:
    product, new = book.products.put(request.segments[1], request.body())
    headers = {"Location": f"/products/{product.sku}"} if new else {}
    return Answer(201 if new else 200, product.show(), headers)


def remove_product(book: Book, request: Request) -> Answer:
    book.products.remove(request.segments[1])
    return Answer(204)


def list_invoices(book: Book, request: Request) -> Answer:
    found = book.find_invoices(request.query, request.today)
    body, headers = paged(found, request.query, lambda each: each.summary(request.today))
    return Answer(200, body, headers)


def add_invoice(book: Book, request: Request) -> Answer:
    made = book.add_invoice(request.body())
    return Answer(201, made.show(request.today), {"Location": f"/invoices/{made.id}"})


def get_invoice(book: Book, request: Request) -> Answer:
    return Answer(200, book.invoice(request.segments[1]).show(request.today))


def change_invoice(book: Book, request: Request) -> Answer:
    return Answer(200, book.change_invoice(request.segments[1], request.body()).show(request.today))


def remove_invoice(book: Book, request: Request) -> Answer:
    book.remove_invoice(request.segments[1])
    return Answer(204)


def add_line(book: Book, request: Request) -> Answer:
    key = request.segments[1]
    made = book.add_line(key, request.body())
    location = f"/invoices/{key}/lines/{made.line}"
    return Answer(201, made.show(book.invoice(key).currency), {"Location": location})


def change_line(book: Book, request: Request) -> Answer:
    key, number = request.segments[1], request.segments[3]
    changed = book.change_line(key, number, request.body())
    return Answer(200, changed.show(book.invoice(key).currency))


def remove_line(book: Book, request: Request) -> Answer:
    book.remove_line(request.segments[1], request.segments[3])
    return Answer(204)


def issue(book: Book, request: Request) -> Answer:
    issued = book.issue(request.segments[1], request.body(), request.today)
    return Answer(200, issued.show(request.today))


def cancel(book: Book, request: Request) -> Answer:
    return Answer(200, book.cancel(request.segments[1], request.body()).show(request.today))


def list_payments(book: Book, request: Request) -> Answer:
    invoice = book.invoice(request.segments[1])
    return Answer(200, {"items": [each.show(invoice.currency) for each in invoice.payments]})


def pay(book: Book, request: Request) -> Answer:
    key = request.segments[1]
    idempotency = request.headers.get("idempotency-key")
    payment, new = book.pay(key, request.body(), request.today, idempotency)
    return Answer(201 if new else 200, payment.show(book.invoice(key).currency))


def remind(book: Book, request: Request) -> Answer:
    return Answer(201, book.remind(request.segments[1], request.today))


def add_credit(book: Book, request: Request) -> Answer:
    made = book.add_credit(request.segments[1], request.body(), request.today)
    return Answer(201, made.show(), {"Location": f"/credits/{made.number}"})


def show_text(book: Book, request: Request) -> Answer:
    return Answer(200, page.render(book.invoice(request.segments[1])))


def get_credit(book: Book, request: Request) -> Answer:
    return Answer(200, book.credit(request.segments[1]).show())


def vat(book: Book, request: Request) -> Answer:
    return Answer(200, reports.vat(book, request.query))


def aging(book: Book, request: Request) -> Answer:
    return Answer(200, reports.aging(book, request.query, request.today))


def journal(book: Book, request: Request) -> Answer:
    text = reports.journal(book, request.query)
    return Answer(200, text, {"Content-Type": "text/csv; charset=utf-8"})


ROUTES: list[tuple[str, dict[str, Action]]] = [
    ("health", {"GET": health}),
    ("customers", {"GET": list_customers, "POST": add_customer}),
    ("customers/*", {"GET": get_customer, "PATCH": change_customer, "DELETE": remove_customer}),
    ("products", {"GET": list_products}),
    ("products/*", {"GET": get_product, "PUT": put_product, "DELETE": remove_product}),
    ("invoices", {"GET": list_invoices, "POST": add_invoice}),
    ("invoices/*", {"GET": get_invoice, "PATCH": change_invoice, "DELETE": remove_invoice}),
    ("invoices/*/lines", {"POST": add_line}),
    ("invoices/*/lines/*", {"PATCH": change_line, "DELETE": remove_line}),
    ("invoices/*/issue", {"POST": issue}),
    ("invoices/*/cancel", {"POST": cancel}),
    ("invoices/*/payments", {"GET": list_payments, "POST": pay}),
    ("invoices/*/reminders", {"POST": remind}),
    ("invoices/*/credits", {"POST": add_credit}),
    ("invoices/*/text", {"GET": show_text}),
    ("credits/*", {"GET": get_credit}),
    ("reports/vat", {"GET": vat}),
    ("reports/aging", {"GET": aging}),
    ("reports/journal.csv", {"GET": journal}),
]


def find_action(request: Request) -> Action:
    for pattern, actions in ROUTES:
        parts = pattern.split("/")
        if len(parts) == len(request.segments) and all(
            part in ("*", segment) for part, segment in zip(parts, request.segments, strict=True)
        ):
            if request.method in actions:
                return actions[request.method]
            allow = ", ".join(sorted(actions))
            raise ApiError(
                405,
                "not-allowed",
                f"{request.method} is not allowed here",
                headers={"Allow": allow},
            )
    raise ApiError(404, "not-found", f"there is nothing at {request.query.path}")


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    book: Book
    lock: Lock

    def answer(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        content = self.rfile.read(length)
        raw_path, _, raw_query = self.path.partition("?")
        pairs = parse_qsl(raw_query, keep_blank_values=True)
        query = Query(unquote(raw_path), pairs)
        headers = {name.lower(): value for name, value in self.headers.items()}
        try:
            if length > MOST_BYTES:
                raise ApiError(413, "too-large", f"a body has at most {MOST_BYTES} bytes")
            segments = query.path.strip("/").split("/")
            today = today_of(headers.get("x-today"))
            request = Request(self.command, segments, query, headers, content, today)
            with self.lock:
                answer = find_action(request)(self.book, request)
        except ApiError as error:
            answer = Answer(error.status, error.body(), error.headers)
        self.send(answer)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer

    def send(self, answer: Answer) -> None:
        headers = dict(answer.headers)
        data = b""
        if isinstance(answer.body, str):
            data = answer.body.encode()
            headers.setdefault("Content-Type", "text/plain; charset=utf-8")
        elif answer.body is not None:
            text = json.dumps(answer.body, ensure_ascii=False, separators=(",", ":"))
            data = text.encode("utf-8", "replace")
            headers["Content-Type"] = "application/json; charset=utf-8"
        self.send_response(answer.status)
        for name, value in headers.items():
            self.send_header(name, value)
        if answer.status != 204:
            self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        pass


def serve(port: int) -> None:
    Handler.book = Book()
    Handler.lock = Lock()
    ThreadingHTTPServer(("127.0.0.1", port), Handler).serve_forever()
