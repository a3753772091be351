#version 450
layout(local_size_x = 32) in;
layout(std430, binding = 0) readonly buffer A { float a[]; };
layout(std430, binding = 1) readonly buffer B { float b[]; };
layout(std430, binding = 2) writeonly buffer Sum { float sum[]; };

void main()
{
    uint i = gl_LocalInvocationID.x;
    sum[i] = a[i] + b[i];
}
