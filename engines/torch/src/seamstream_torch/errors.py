"""What is refused. Codes are those of docs/reference/error-codes.md."""


class EngineError(Exception):
    """Says what was attempted, what was expected, what came, and what to do."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
