"""What the description says in words only: a new Idempotency-Key for each pet, and integers without a fraction."""

import re
import uuid

import schemathesis


@schemathesis.hook
def before_call(context, case, kwargs):
    key = (case.headers or {}).get("Idempotency-Key")
    if isinstance(key, str) and re.fullmatch(r"[!-~]{1,255}", key):
        case.headers["Idempotency-Key"] = str(uuid.uuid4())
    if isinstance(case.body, dict):
        category = case.body.get("categoryId")
        if isinstance(category, float) and category.is_integer():
            case.body["categoryId"] = int(category)
