#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the virtual Pi and takes pictures of its screen when the guest asks for them.

    watch.py LOG PICTURES COMMAND...

COMMAND starts QEMU (machine.sh); its standard output, the guest's console, is written to LOG. When the guest prints a line
"@@ picture NAME", the screen is written to PICTURES/NAME.png. What begins is named on standard output."""
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / 'tests/interop'))
import pictures

PROMPT = b'(qemu) '


class Monitor:
    """QEMU's monitor on a socket."""

    def __init__(self, path):
        self.path = path
        self.socket = None

    def ask(self, command):
        if not self.socket:
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.connect(self.path)
            self.read()
        self.socket.sendall(command.encode() + b'\n')
        return self.read()

    def read(self):
        text = b''
        while not text.endswith(PROMPT):
            part = self.socket.recv(4096)
            if not part:
                break
            text += part
        return text.decode(errors='replace')


def take_picture(monitor, folder, name):
    ppm = folder / f'{name}.ppm'
    said = monitor.ask(f'screendump {ppm}')
    for _ in range(50):  # the file is written while QEMU goes on
        try:
            width_px, height_px, rgb = pictures.read(ppm, 'RGB')
            pictures.write(folder / f'{name}.png', width_px, height_px, 'RGB', rgb)
            ppm.unlink()
            return
        except (OSError, ValueError):
            time.sleep(0.1)
    print(f'board: no picture {name}: {said.strip()}', flush=True)


def main():
    log, folder, command = sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), sys.argv[3:]
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary, open(log, 'wb') as out:
        path = f'{temporary}/monitor'
        monitor = Monitor(path)
        guest = subprocess.Popen([*command, '-monitor', f'unix:{path},server=on,wait=off'], stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE)
        for line in guest.stdout:
            out.write(line)
            out.flush()
            said = re.match(rb'@@ (begin|picture) ([\w./-]+)', line)
            if said and said[1] == b'picture':
                take_picture(monitor, folder, said[2].decode().replace('/', '_'))
            elif said:
                print(f'board: {said[2].decode()}', flush=True)
        return guest.wait()


if __name__ == '__main__':
    sys.exit(main())
