#version 450
// Every invocation draws a number, which goes to four words of colour.
layout(set = 0, binding = 0) buffer Counts {
    uint all, last_x;
    uint pixels[4096];
};
layout(location = 0) out uvec4 color;
void main()
{
    uvec2 at = uvec2(gl_FragCoord.xy);
    uint ticket = atomicAdd(all, 1u) + 1u;
    color = uvec4(ticket, ticket * 3u, at.x * 64u + at.y, ~ticket);
}
