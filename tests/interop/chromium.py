#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# chromium.py TOOLS_DIR ICD.json REFERENCE_ICD.json [PRELOAD]: Chromium's WebGL 2 (ANGLE on Vulkan) on this driver. The
# browser runs headless and is controlled through its debugging pipe. The test checks what the browser reports about its
# graphics (as chrome://gpu shows it), and compares the rendering of webgl2.html with the browser's own SwiftShader (not
# with REFERENCE: lavapipe of Debian 12 lacks an instance extension that the browser requires). Prints TAP. Skipped
# where chromium is not installed, and with PRELOAD, because a sanitizer's runtime does not work with the browser's
# sandbox.
import base64, json, os, shutil, subprocess, sys, tempfile, time

tools, icd = sys.argv[1:3]
here = os.path.dirname(os.path.abspath(__file__))
out = os.path.join(os.environ.get('VKT_OUT') or tempfile.mkdtemp(), 'chromium')
FLAGS = ['--headless=new', '--no-sandbox', '--disable-gpu-sandbox', '--use-gl=angle', '--ignore-gpu-blocklist', '--disable-quic', '--no-first-run',
         '--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-extensions',
         '--window-size=800,600', '--remote-debugging-pipe']
VULKAN = ['--use-angle=vulkan', '--enable-features=Vulkan']
SWIFTSHADER = ['--use-angle=swiftshader', '--enable-unsafe-swiftshader']


class Browser:
    def __init__(self, flags, log):
        self.profile = tempfile.mkdtemp(dir=out)
        to_r, to_w = os.pipe()
        from_r, from_w = os.pipe()

        def pipes(): # the browser reads from descriptor 3 and writes to 4
            os.dup2(to_r, 20)
            os.dup2(from_w, 21)
            os.dup2(20, 3)
            os.dup2(21, 4)
        env = dict(os.environ, VK_ICD_FILENAMES=icd, VK_DRIVER_FILES=icd, XDG_RUNTIME_DIR=self.profile)
        self.process = subprocess.Popen(['chromium', '--user-data-dir=' + self.profile] + FLAGS + flags, env=env,
                                        preexec_fn=pipes, close_fds=False, stdout=log, stderr=log)
        os.close(to_r)
        os.close(from_w)
        self.to, self.from_, self.number, self.rest = to_w, from_r, 0, b''

    def call(self, method, session=None, **params):
        self.number += 1
        message = {'id': self.number, 'method': method, 'params': params}
        if session:
            message['sessionId'] = session
        os.write(self.to, json.dumps(message).encode() + b'\0')
        while True:
            while b'\0' not in self.rest:
                got = os.read(self.from_, 65536)
                if not got:
                    raise EOFError('the browser has ended')
                self.rest += got
            line, self.rest = self.rest.split(b'\0', 1)
            answer = json.loads(line)
            if answer.get('id') == self.number:
                return answer['result']

    def page(self, url):
        target = self.call('Target.createTarget', url=url)['targetId']
        return self.call('Target.attachToTarget', targetId=target, flatten=True)['sessionId']

    def value(self, session, expression):
        return self.call('Runtime.evaluate', session, expression=expression)['result'].get('value')

    def close(self):
        try:
            self.call('Browser.close')
            self.process.wait(60)
        except (EOFError, OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)


def draw(flags, name):
    """Draws the page and saves a screenshot as PNG. Returns what the browser reports about its graphics, and the page's
    text."""
    with open(os.path.join(out, name + '.log'), 'w') as log:
        browser = Browser(flags, log)
        try:
            session = browser.page('file://' + os.path.join(here, 'webgl2.html'))
            for _ in range(600):
                if browser.value(session, 'document.title') == 'done':
                    break
                time.sleep(0.2)
            text = browser.value(session, 'document.getElementById("o").textContent') or ''
            clip = {'x': 0, 'y': 0, 'width': 400, 'height': 300, 'scale': 1}
            picture = browser.call('Page.captureScreenshot', session, clip=clip)['data']
            with open(os.path.join(out, name + '.png'), 'wb') as f:
                f.write(base64.b64decode(picture))
            return browser.call('SystemInfo.getInfo')['gpu'], text
        finally:
            browser.close()


def main():
    if not shutil.which('chromium'):
        print('1..0 # SKIP no chromium')
        return 0
    if len(sys.argv) > 4:
        print('1..0 # SKIP a sanitizer\'s runtime does not go with chromium')
        return 0
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out)
    failures = 0
    print('1..4')

    def report(number, is_ok, name, why):
        nonlocal failures
        failures += not is_ok
        print(f'{"ok" if is_ok else "not ok"} {number} - {name}')
        if not is_ok:
            print('\n'.join('# ' + line for line in str(why).splitlines()))

    gpu, text = draw(VULKAN, 'webgl2.got')
    status, renderer = gpu.get('featureStatus', {}), gpu.get('auxAttributes', {}).get('glRenderer', '')
    report(1, 'VideoCore IV' in renderer and 'Vulkan' in renderer, 'the browser draws with this driver', renderer)
    report(2, all(status.get(f) == 'enabled' for f in ('webgl', 'gpu_compositing')),
           'WebGL and compositing are hardware accelerated', status)
    report(3, 'WebGL 2.0' in text and 'error 0' in text and 'VideoCore IV' in text, 'a WebGL 2 page draws', text)
    draw(SWIFTSHADER, 'webgl2.expected')
    path = os.path.join(out, 'webgl2.')
    result = subprocess.run([os.path.join(tools, 'compare_png'), path + 'expected.png', path + 'got.png', '6', '10',
                             path + 'diff.png'], capture_output=True, text=True) # edges, and 8-bit filter weights
    report(4, result.returncode == 0, 'its picture is SwiftShader\'s but for edges', result.stdout + result.stderr)
    return failures != 0


if __name__ == '__main__':
    sys.exit(main())
