#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# replay_frame.py FOLDER PROGRAM [ARGUMENT]...: RenderDoc captures one frame of a program under the validation layer and
# replays it. It captures the first frame after it has connected to the program, so the program must run until it is
# told to end. The image after the replay's last event must equal what the window was given (VC4VK_SHOWN), pixel by
# pixel. No event may have a message other than about performance. RenderDoc must find no error, and must see the
# compiled code of the draws' shaders, samples that passed, the chip's counters, and what a pixel has gone through.
import os, pathlib, shutil, signal, sys, time
sys.path.append('/usr/lib/python3/dist-packages')  # the folder of Debian's module, whichever python3 this is
import renderdoc as rd
import same_frames

TIMEOUT_S = 120


def wait_for_devices():
    """Waits until RenderDoc has looked for devices. It does so in a thread that changes its list of environment
    variables, which ExecuteAndInject() reads without a lock (RenderDoc 1.24)."""
    file = rd.OpenCaptureFile()
    devices = file.GetAvailableGPUs()
    file.Shutdown()
    assert devices, 'RenderDoc sees no device'


def capture(folder, program, arguments):
    """Captures a frame; returns its path and number. Ends the program when the next frame is shown."""
    options = rd.GetDefaultCaptureOptions()
    options.apiValidation = True
    started = rd.ExecuteAndInject(program, os.getcwd(), ' '.join(arguments), [], str(folder / 'capture'), options, False)
    target = rd.CreateTargetControl('', started.ident, 'test', True)
    assert target, 'the program does not answer'
    target.TriggerCapture(1)
    path, frame, ended, end = None, None, False, time.monotonic() + TIMEOUT_S
    while target.Connected() and time.monotonic() < end:
        message = target.ReceiveMessage(None)
        if message.type == rd.TargetControlMessageType.NewCapture:
            path, frame = message.newCapture.path, message.newCapture.frameNumber + 1  # RenderDoc counts from 0
        if path and not ended and (folder / f'frame_{frame + 1}.ppm').exists():
            os.kill(target.GetPID(), signal.SIGTERM)
            ended = True
    target.Shutdown()
    assert path, 'no frame was captured'
    assert ended, f'frame {frame + 1} was not shown'
    return path, frame


def walk(actions):
    for action in actions:
        yield action
        yield from walk(action.children)


def check_picture(replay, folder, frame, actions):
    save = rd.TextureSave()
    save.resourceId = actions[-1].copyDestination
    save.destType = rd.FileType.BMP
    save.alpha = rd.AlphaMapping.Discard
    replay.SetFrameEvent(actions[-1].eventId, True)
    replayed = folder / f'replayed_{frame}.bmp'
    saved = replay.SaveTexture(save, str(replayed))
    return None if saved == rd.ResultCode.Succeeded else f'no picture: {saved}'


def check_draw(replay, draw):
    """Yields what is missing in what RenderDoc shows about a draw."""
    replay.SetFrameEvent(draw.eventId, True)
    state = replay.GetPipelineState()
    for stage in rd.ShaderStage.Vertex, rd.ShaderStage.Fragment:
        code = replay.DisassembleShader(state.GetGraphicsPipelineObject(), state.GetShaderReflection(stage),
                                        'KHR_pipeline_executable_properties')
        if 'program' not in code or 'Instructions' not in code:
            yield f'event {draw.eventId}: no code of its {stage} program'


def check_counters(replay, draws):
    counters = replay.EnumerateCounters()
    for name in 'Samples Passed', 'Quads written':  # from an occlusion query, and from the chip
        wanted = [c for c in counters if replay.DescribeCounter(c).name == name]
        if not wanted or sum(r.value.u64 for r in replay.FetchCounters(wanted)) == 0:
            yield f'counted no {name}'


def check_history(replay, draw):
    """The middle pixel of the draw's target: some event must have changed it."""
    replay.SetFrameEvent(draw.eventId, True)
    target = draw.outputs[0]
    size = next(t for t in replay.GetTextures() if t.resourceId == target)
    history = replay.PixelHistory(target, size.width // 2, size.height // 2, rd.Subresource(0, 0, 0), rd.CompType.Typeless)
    if not any(change.Passed() for change in history):
        yield f'event {draw.eventId}: nothing in the history of the middle pixel'


def check_log():
    for line in pathlib.Path(rd.GetLogFile()).read_text().splitlines():
        if ' - Error ' in line or 'vc4vk error' in line:
            yield line


def check_replay(path, folder, frame):
    file = rd.OpenCaptureFile()
    file.OpenFile(path, '', None)
    assert file.LocalReplaySupport() == rd.ReplaySupport.Supported, 'RenderDoc cannot replay on this device'
    opened, replay = file.OpenCapture(rd.ReplayOptions(), None)
    assert replay, f'not opened: {opened}'
    actions = replay.GetRootActions()
    draws = [a for a in walk(actions) if a.flags & rd.ActionFlags.Drawcall]
    faults = [check_picture(replay, folder, frame, actions)]
    faults += [f'event {m.eventId}: {m.description}' for m in replay.GetDebugMessages()
               if m.category != rd.MessageCategory.Performance]
    for draw in draws:
        faults += check_draw(replay, draw)
    if draws:
        faults += check_counters(replay, draws)
        faults += check_history(replay, draws[-1])
    replay.Shutdown()
    file.Shutdown()
    return [fault for fault in faults if fault]


def main():
    folder = pathlib.Path(sys.argv[1])
    program = shutil.which(sys.argv[2])
    rd.InitialiseReplay(rd.GlobalEnvironment(), [])
    wait_for_devices()
    path, frame = capture(folder, program, sys.argv[3:])
    faults = check_replay(path, folder, frame) + list(check_log())
    if not faults:
        live = folder / f'frame_{frame}.ppm'
        faults = [f for f in [same_frames.difference(live, folder / f'replayed_{frame}.bmp')] if f]
    rd.ShutdownReplay()
    print(f'frame {frame}', *faults, sep='\n')
    sys.exit(len(faults) > 0)


if __name__ == '__main__':
    main()
