"""What is refused. Codes are those of docs/reference/error-codes.md."""


class EngineError(Exception):
    """Says what was attempted, what was expected, what came, and what to do."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def is_out_of_memory(error: RuntimeError) -> bool:
    """Whether a processor has too little memory. By name: PyTorch may not be loaded.

    cuBLAS takes its memory from the driver, and says only in words that there was too little.
    """
    return type(error).__name__ == "OutOfMemoryError" or "CUBLAS_STATUS_ALLOC_FAILED" in str(error)
