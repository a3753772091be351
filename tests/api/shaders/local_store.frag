#version 450
// Stores a word for each fragment, or shows the word that an earlier fragment of the pixel has stored elsewhere.
layout(set = 0, binding = 0) buffer B { uint words[]; };
layout(push_constant) uniform P { vec4 color; };
layout(location = 0) out vec4 o_color;
void main()
{
    uint at = (uint(gl_FragCoord.y) * 37u + uint(gl_FragCoord.x) * 11u) & 4095u;
#ifdef READS
    o_color = unpackUnorm4x8(words[at]);
#else
    words[at] = packUnorm4x8(color * gl_FragCoord.x / 32.0);
    o_color = vec4(0.0);
#endif
}
