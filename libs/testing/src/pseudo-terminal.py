"""Runs a program in a pseudo terminal of a given size: what it writes comes out, what comes in are keys that are pressed."""
import fcntl
import os
import pty
import select
import struct
import sys
import termios

columns, rows = int(sys.argv[1]), int(sys.argv[2])
pid, terminal = pty.fork()
if pid == 0:
    # Before the program starts, which asks once.
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    os.execvp(sys.argv[3], sys.argv[3:])
sources = [terminal, 0]
while True:
    ready, _, _ = select.select(sources, [], [])
    if 0 in ready:
        keys = os.read(0, 1024)
        if keys:
            os.write(terminal, keys)
        else:
            sources.remove(0)
    if terminal in ready:
        try:
            written = os.read(terminal, 65536)
        except OSError:  # EIO: the program has ended
            written = b""
        if not written:
            break
        os.write(1, written)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
