#version 450
#extension GL_ARB_fragment_shader_interlock : require
// Reads, changes and writes a word for each pixel or sample, without atomics. With ORDERED the result depends on the
// order. A shader that names gl_SampleID runs for each sample.
layout(MODE) in;
layout(set = 0, binding = 0) buffer Values { uint values[]; };
layout(location = 0) flat in uint v_number;
void main()
{
    uint at = uint(gl_FragCoord.y) * 64u + uint(gl_FragCoord.x);
#ifdef WORD_PER_SAMPLE
    at = at * 4u + uint(gl_SampleID);
#endif
    beginInvocationInterlockARB();
    uint value = values[at];
#ifdef SHADED
    if (gl_SampleID > 3)
        value = 0u;
#endif
#ifdef ORDERED
    value = value * 5u + v_number;
#else
    value += v_number;
#endif
    values[at] = value;
    endInvocationInterlockARB();
}
