#version 450
#extension GL_ARB_shader_clock : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_realtime_clock : require
/* SPDX-License-Identifier: MIT
 *
 * The times of each invocation at its start and at its end, of the device and of its subgroup, as two words and as a
 * 64-bit integer. */
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) buffer Out { uvec2 times[][4]; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    times[i][0] = clockRealtime2x32EXT();
    times[i][1] = clock2x32ARB();
    times[i][2] = unpackUint2x32(clockRealtimeEXT());
    times[i][3] = unpackUint2x32(clockARB());
}
