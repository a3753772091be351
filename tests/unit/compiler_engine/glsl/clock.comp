#version 450
#extension GL_ARB_shader_clock : require
#extension GL_EXT_shader_realtime_clock : require
// The time before and after some work, of all lanes and of some lanes only. Six words for each invocation.
layout(local_size_x = 40) in;
layout(set = 0, binding = 0) buffer Out { uvec2 times[][3]; };
void main()
{
    uint i = gl_LocalInvocationIndex;
    times[i][0] = clockRealtime2x32EXT();
    for (uint k = 0u; k < 100u; k++)
        times[i][1].x = times[(i + k) % 40u][0].x;
    times[i][1] = uvec2(0u);
    if (i % 3u == 1u)
        times[i][1] = clock2x32ARB();
    times[i][2] = clockRealtime2x32EXT();
}
