# SPDX-License-Identifier: MIT
#
# The processes that compile and run programs. Each serves thousands of requests; one that dies or hangs is reported and
# restarted.
import os
import select
import struct
import subprocess
import tempfile
import time


class Failed(Exception):
    """A server's error message, or how it ended."""


class Server:
    def __init__(self, command, environment=None, patience_s=120):
        self.command, self.patience_s = command, patience_s
        self.environment = dict(os.environ, **(environment or {}))
        self.process = None
        self.log, self.said_before = None, 0

    def start(self):
        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log,
                                        env=self.environment, bufsize=0)

    def said(self):
        """What the server has written to stderr since the last request."""
        end = self.log.seek(0, os.SEEK_END)
        self.log.seek(max(end - 4000, self.said_before))
        return self.log.read().decode(errors='replace').strip()

    def stop(self):
        if self.process:
            self.process.stdin.close()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
            self.process.stdout.close()
            self.log.close()
            self.process = None

    def ended(self, how):
        self.process.kill()
        status = self.process.wait()
        said = self.said()
        self.stop()
        raise Failed(f'{how or f"ended with status {status}"}{": " if said else ""}{said}')

    def send(self, message):
        if not self.process:
            self.start()
        self.said_before = self.log.seek(0, os.SEEK_END)
        data = memoryview(struct.pack('<I', len(message)) + message)
        try:
            while data:
                data = data[self.process.stdin.write(data):]
        except BrokenPipeError:
            pass  # receive() reports it

    def _read(self, size, until):
        parts = bytearray()
        fd = self.process.stdout.fileno()
        while len(parts) < size:
            if not select.select([fd], [], [], max(until - time.monotonic(), 0))[0]:
                self.ended(f'no answer for {self.patience_s} s')
            part = os.read(fd, min(size - len(parts), 1 << 20))
            if not part:
                self.process.wait()
                self.ended('')
            parts += part
        return bytes(parts)

    def receive(self):
        until = time.monotonic() + self.patience_s
        size, = struct.unpack('<I', self._read(4, until))
        return self._read(size, until)

    def ask(self, message):
        self.send(message)
        return self.receive()


class Compiler(Server):
    def __init__(self, tools):
        super().__init__([os.path.join(tools, 'glsl_compile')])

    def compile(self, stage, source, target=0):
        """The SPIR-V module; raises Failed with glslang's message."""
        return self._do(stage, target, source.encode())

    def disassemble(self, module):
        """The text of a module, whose ids are numbers."""
        return self._do(3, target_of(module), module).decode()

    def assemble(self, text, target):
        return self._do(4, target, text.encode())

    def _do(self, task, target, data):
        reply = self.ask(struct.pack('<II', task, target) + data)
        if struct.unpack_from('<I', reply)[0] != 1:
            raise Failed(reply[4:].decode(errors='replace'))
        return reply[4:]


def target_of(module):
    """glsl_compile's number of a module's version of SPIR-V."""
    return (struct.unpack_from('<I', module, 4)[0] >> 8 & 255) - 3


class Runner(Server):
    """A glsl_run server on the device of one manifest. debug: VC4VK_DEBUG, and after a blank the server's option; more: other
    environment variables."""

    def __init__(self, tools, icd, debug='', patience_s=120, hang_ms=30000, more=None):
        words, *options = debug.split(' ')
        environment = {'VK_ICD_FILENAMES': icd, 'VK_DRIVER_FILES': icd, 'VC4VK_CACHE': '0', 'MESA_SHADER_CACHE_DISABLE': 'true',
                       # Most of the time is lavapipe's LLVM; these settings save a third of it.
                       'GALLIVM_PERF': 'nopt', 'LP_NATIVE_VECTOR_WIDTH': '128',
                       'VC4VK_DEBUG': words, 'VC4VK_HANG_MS': str(hang_ms), 'VK_LOADER_LAYERS_DISABLE': '*'}
        command = [os.path.join(tools, 'glsl_run')] + ['--' + option for option in options]
        super().__init__(command, dict(environment, **(more or {})), patience_s)
        self.debug = debug

    def result(self):
        """The result of the last request: the bytes of each output. Raises Failed if the request failed or the server
        died."""
        reply = self.receive()
        if struct.unpack_from('<I', reply)[0] != 0:
            why = reply[4:].decode(errors='replace')
            said = self.said()
            if why.endswith('= -4'):
                self.stop()
            raise Failed(f'{why}{": " if said else ""}{said}')
        at, out = 4, []
        while at < len(reply):
            size, = struct.unpack_from('<I', reply, at)
            out.append(reply[at + 4:at + 4 + size])
            at += 4 + size
        return out

    def run(self, message):
        self.send(message)
        return self.result()


class Evaluator(Runner):
    """A glsl_eval server, which executes the compiler's IR."""

    def __init__(self, tools, patience_s):
        Server.__init__(self, [os.path.join(tools, 'glsl_eval')], {'VC4VK_DEBUG': 'validate'}, patience_s)


# Not --loop-invariant-code-motion, which hoists loads out of loops that store to the same memory.
PASSES = ['--ccp', '--cfg-cleanup', '--combine-access-chains', '--compact-ids', '--convert-local-access-chains',
          '--copy-propagate-arrays', '--eliminate-dead-branches', '--eliminate-dead-code-aggressive', '--eliminate-dead-const',
          '--eliminate-dead-functions', '--eliminate-dead-inserts', '--eliminate-local-multi-store',
          '--eliminate-local-single-block', '--eliminate-local-single-store', '--fold-spec-const-op-composite',
          '--if-conversion', '--inline-entry-points-exhaustive', '--local-redundancy-elimination',
          '--loop-fission=8', '--loop-fusion=8', '--loop-peeling', '--loop-unroll',
          '--loop-unroll-partial=3', '--loop-unswitch', '--merge-blocks', '--merge-return', '--private-to-local',
          '--redundancy-elimination', '--reduce-load-size', '--replace-invalid-opcode', '--scalar-replacement=100',
          '--simplify-instructions', '--ssa-rewrite', '--strength-reduction', '--unify-const', '--vector-dce',
          '--wrap-opkill', '--remove-unused-interface-variables', '--workaround-1209', '-O', '-Os']


def random_passes(rng):
    return [rng.choice(PASSES) for _ in range(rng.choice((1, 1, 2, 3, 4, 6, 10)))]


def optimise(module, passes, folder):
    """The module after spirv-opt. Raises Failed where spirv-opt fails, which is not the driver's fault."""
    a, b = os.path.join(folder, 'a.spv'), os.path.join(folder, 'b.spv')
    with open(a, 'wb') as f:
        f.write(module)
    try:
        done = subprocess.run(['spirv-opt', *passes, a, '-o', b], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=60)
    except subprocess.TimeoutExpired:
        raise Failed('spirv-opt takes too long')
    if done.returncode:
        raise Failed(done.stderr.decode(errors='replace'))
    with open(b, 'rb') as f:
        return f.read()
