#version 450
// The return leaves the loop before the definition of a value that is used after the loop.
// out@0 10.0 10.0
// out@1 1.0 -2.0
// out@4 10.0 10.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
vec2 f(float x)
{
    float sum = 0.0, next;
    int i = 0;
    do {
        if (x > 0.5 && x < 3.5 && float(i) > x * 0.5)
            return vec2(x, -2.0);
        next = sum + float(i);
        sum = next;
        i++;
    } while (i < 5);
    return vec2(next, sum);
}
void main()
{
    o = vec4(f(v.x), 0, 0);
}
