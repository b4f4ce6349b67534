"""What the description says in words only: a new Idempotency-Key for each pet, integers without a fraction, and that a
list goes on with before in descending order and with after in ascending order."""

import re
import uuid

import schemathesis


@schemathesis.hook
def before_call(context, case, kwargs):
    key = (case.headers or {}).get("Idempotency-Key")
    if isinstance(key, str) and re.fullmatch(r"[!-~]{1,255}", key):
        case.headers["Idempotency-Key"] = str(uuid.uuid4())
    query = case.query or {}
    if query.get("order") in (None, "asc", "desc"):
        query.pop("after" if query.get("order") == "desc" else "before", None)
    operations = case.body if isinstance(case.body, list) else [case.body]
    for part in (part for part in operations if isinstance(part, dict)):
        for name in ("categoryId", "value"):
            category = part.get(name)
            if isinstance(category, float) and category.is_integer():
                part[name] = int(category)
