#version 450
// Whatever the index, the words are those of the table: all fives, between two tables of others.
// differs what an index out of range gives is undefined
// out@0 15.0 5.0 5.0 15.0
// out@3 15.0 5.0 5.0 15.0
// out@6 15.0 5.0 5.0 15.0
// out@9 15.0 5.0 5.0 15.0
// out@15 15.0 5.0 5.0 15.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
const float before[20] = float[](
    100.0, 101.0, 102.0, 103.0, 104.0, 105.0, 106.0, 107.0, 108.0, 109.0,
    110.0, 111.0, 112.0, 113.0, 114.0, 115.0, 116.0, 117.0, 118.0, 119.0);
const vec3 t[7] = vec3[](vec3(5.0), vec3(5.0), vec3(5.0), vec3(5.0), vec3(5.0), vec3(5.0), vec3(5.0));
const float after[20] = float[](
    200.0, 201.0, 202.0, 203.0, 204.0, 205.0, 206.0, 207.0, 208.0, 209.0,
    210.0, 211.0, 212.0, 213.0, 214.0, 215.0, 216.0, 217.0, 218.0, 219.0);
void main()
{
    int i = int(v.x);
    uint large = 0x7fffffffu + uint(i);
    float others = before[i] + after[i];
    o = vec4(dot(t[i - 8], vec3(1.0)), t[i * 1000].y, t[large].z, dot(t[-large / 3u - uint(others)], vec3(1.0)));
}
