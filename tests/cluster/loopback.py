#!/usr/bin/env python3
"""Switches the loopback interface of a fresh network namespace on, and becomes the command that follows.

unshare --net python3 tests/cluster/loopback.py COMMAND... runs it where there is no other interface: whatever servers it
starts can neither be reached from other machines nor reach them.
"""

import fcntl
import os
import socket
import struct
import sys

SIOCSIFFLAGS, IFF_UP = 0x8914, 0x1

with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
    fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", IFF_UP))
os.execvp(sys.argv[1], sys.argv[1:])
