#version 450
// One invocation clears all shared memory at once, as naga lets it: 2,048 stores that do not depend on each other.
#define A(x) x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x
#define B(x) A(x), A(x), A(x), A(x), A(x), A(x), A(x), A(x)
#define C(x) B(x), B(x), B(x), B(x), B(x), B(x), B(x), B(x)
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Out { uint o[]; };
shared uint words[2048];
void main()
{
    if (gl_LocalInvocationIndex == 0u)
        words = uint[](C(0u), C(0u));
    barrier();
    o[gl_LocalInvocationIndex] = words[gl_LocalInvocationIndex];
}
