#version 450
// Sixty values that are live from the start of the program to its end, each cheap to rematerialise.
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    vec4 a0 = v * 1.0 + v.yzwx;
    vec4 a1 = v * 2.0 + v.yzwx;
    vec4 a2 = v * 3.0 + v.yzwx;
    vec4 a3 = v * 4.0 + v.yzwx;
    vec4 a4 = v * 5.0 + v.yzwx;
    vec4 a5 = v * 6.0 + v.yzwx;
    vec4 a6 = v * 7.0 + v.yzwx;
    vec4 a7 = v * 8.0 + v.yzwx;
    vec4 a8 = v * 9.0 + v.yzwx;
    vec4 a9 = v * 10.0 + v.yzwx;
    vec4 a10 = v * 11.0 + v.yzwx;
    vec4 a11 = v * 12.0 + v.yzwx;
    vec4 a12 = v * 13.0 + v.yzwx;
    vec4 a13 = v * 14.0 + v.yzwx;
    vec4 a14 = v * 15.0 + v.yzwx;
    vec4 a15 = v * 16.0 + v.yzwx;
    vec4 a16 = v * 17.0 + v.yzwx;
    vec4 a17 = v * 18.0 + v.yzwx;
    vec4 a18 = v * 19.0 + v.yzwx;
    vec4 a19 = v * 20.0 + v.yzwx;
    vec4 r = v * 0.125;
    r = fract(r + a19 * 0.25) + a0 * 0.001;
    r = fract(r + a18 * 0.25) + a7 * 0.001;
    r = fract(r + a17 * 0.25) + a14 * 0.001;
    r = fract(r + a16 * 0.25) + a1 * 0.001;
    r = fract(r + a15 * 0.25) + a8 * 0.001;
    r = fract(r + a14 * 0.25) + a15 * 0.001;
    r = fract(r + a13 * 0.25) + a2 * 0.001;
    r = fract(r + a12 * 0.25) + a9 * 0.001;
    r = fract(r + a11 * 0.25) + a16 * 0.001;
    r = fract(r + a10 * 0.25) + a3 * 0.001;
    r = fract(r + a9 * 0.25) + a10 * 0.001;
    r = fract(r + a8 * 0.25) + a17 * 0.001;
    r = fract(r + a7 * 0.25) + a4 * 0.001;
    r = fract(r + a6 * 0.25) + a11 * 0.001;
    r = fract(r + a5 * 0.25) + a18 * 0.001;
    r = fract(r + a4 * 0.25) + a5 * 0.001;
    r = fract(r + a3 * 0.25) + a12 * 0.001;
    r = fract(r + a2 * 0.25) + a19 * 0.001;
    r = fract(r + a1 * 0.25) + a6 * 0.001;
    r = fract(r + a0 * 0.25) + a13 * 0.001;
    o = r;
}
