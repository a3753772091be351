#version 450
// Structures within structures of a block, whose members say how they are interpolated.
struct part {
    vec2 place;
    uvec2 number;
};
struct parts {
    part a[2];
    int last;
};
struct slope {
    float x, y;
};
layout(location = 0) out block {
    vec2 at;
    flat parts flats;
    noperspective slope slopes[2];
} to;
void main()
{
    vec2 at = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1);
    float w = gl_VertexIndex == 3 ? 3.0 : 1.0;
    to.at = at;
    to.flats.a[0] = part(vec2(0.25, 0.5) + at, uvec2(1, 70));
    to.flats.a[1] = part(vec2(0.75, 0.125) + at, uvec2(2 + gl_VertexIndex, 0xfffffffe));
    to.flats.last = -9;
    to.slopes[0] = slope(at.x, at.y);
    to.slopes[1] = slope(at.x * at.y, 1.0);
    gl_Position = vec4((at * 2.0 - 1.0) * w, 0.5 * w, w);
}
