#version 450
// Twenty-four cases in a loop.
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
layout(push_constant) uniform P { int n; };
void main()
{
    vec4 r = v * 0.01;
    for (int i = 0; i < n + 3; i++) {
        switch ((int(v.x) + i) % 24) {
        case 0:
            r = fract(r * 2.0 + v.xyzw * 0.01);
            break;
        case 1:
            r = fract(r * 3.0 + v.yzwx * 0.02);
            break;
        case 2:
            r = fract(r * 4.0 + v.zwxy * 0.03);
            break;
        case 3:
            r = fract(r * 5.0 + v.wxyz * 0.04);
            break;
        case 4:
            r = fract(r * 6.0 + v.xyzw * 0.05);
            break;
        case 5:
            r = fract(r * 7.0 + v.yzwx * 0.06);
            break;
        case 6:
            r = fract(r * 8.0 + v.zwxy * 0.07);
            break;
        case 7:
            r = fract(r * 9.0 + v.wxyz * 0.08);
            break;
        case 8:
            r = fract(r * 10.0 + v.xyzw * 0.09);
            break;
        case 9:
            r = fract(r * 11.0 + v.yzwx * 0.10);
            break;
        case 10:
            r = fract(r * 12.0 + v.zwxy * 0.11);
            break;
        case 11:
            r = fract(r * 13.0 + v.wxyz * 0.12);
            break;
        case 12:
            r = fract(r * 14.0 + v.xyzw * 0.13);
            break;
        case 13:
            r = fract(r * 15.0 + v.yzwx * 0.14);
            break;
        case 14:
            r = fract(r * 16.0 + v.zwxy * 0.15);
            break;
        case 15:
            r = fract(r * 17.0 + v.wxyz * 0.16);
            break;
        case 16:
            r = fract(r * 18.0 + v.xyzw * 0.17);
            break;
        case 17:
            r = fract(r * 19.0 + v.yzwx * 0.18);
            break;
        case 18:
            r = fract(r * 20.0 + v.zwxy * 0.19);
            break;
        case 19:
            r = fract(r * 21.0 + v.wxyz * 0.20);
            break;
        case 20:
            r = fract(r * 22.0 + v.xyzw * 0.21);
            break;
        case 21:
            r = fract(r * 23.0 + v.yzwx * 0.22);
            break;
        case 22:
            r = fract(r * 24.0 + v.zwxy * 0.23);
            break;
        case 23:
            r = fract(r * 25.0 + v.wxyz * 0.24);
            break;
        }
    }
    o = r;
}
