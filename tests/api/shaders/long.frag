// SPDX-License-Identifier: MIT
// A long program: straight code, branches and a loop. Every step brings different values closer together, so that
// differences in rounding do not grow.
#version 450
layout(location = 0) out vec4 color;
#define STEP(i) \
    a = a * 0.5 + b * (0.25 + (i) / 2048.0); \
    b = abs(b - c) * 0.75 + a * (0.0625 + (i) / 4096.0); \
    c = sqrt(c * 0.5 + 0.25) * 0.5 + d * (0.125 + (i) / 8192.0); \
    d = mix(d, a, 0.25 + (i) / 1024.0);
#define BRANCH(i) if (a < b) { c += (b - a) * 0.5; d = d * 0.75 + (b - a) * ((i) / 512.0); }
#define TEN(i)    STEP(i) STEP(i + 1.0) STEP(i + 2.0) BRANCH(i) STEP(i + 3.0) STEP(i + 4.0) STEP(i + 5.0) STEP(i + 6.0) \
                  STEP(i + 7.0) BRANCH(i + 1.0) STEP(i + 8.0) STEP(i + 9.0)
void main()
{
    vec2 at = gl_FragCoord.xy / 64.0;
    float a = at.x, b = at.y, c = at.x * at.y, d = 1.0 - at.x;
    TEN(0.0) TEN(10.0) TEN(20.0) TEN(30.0) TEN(40.0) TEN(50.0)
    for (int n = 0; n < int(2.0 + at.y); n++) {
        a += at.x * 0.5;
        TEN(60.0) TEN(70.0) TEN(80.0) TEN(90.0) TEN(100.0)
    }
    b += at.y * 0.5;
    TEN(110.0) TEN(120.0) TEN(130.0) TEN(140.0) TEN(150.0) TEN(160.0)
    c += at.x * at.y * 0.5;
    STEP(170.0) STEP(171.0)
    color = vec4(a, b, c, d) + vec4(at * 0.25, 0.0, 0.25);
}
