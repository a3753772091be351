#version 450
// out@0 1.0 -0.4161468 0.964966
// out@3 -0.9899925 0.3153224 -0.7480575
// out@6 0.9601703 0.8775826 -0.1455
// out@9 -0.9111303 0.9689124 0.9074468
// out@15 -0.7596879 -0.1782461 0.0221268
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    float x = v.x, y = v.y;
    o = vec4(cos(x), cos(y), cos(x * 7.0 - 50.0), 0.0);
}
