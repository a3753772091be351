#version 450
// Rotations read accumulators: a value that occupies one has to be moved out of it.
layout(location = 0) flat in vec3 factor;
layout(location = 1) noperspective in vec4 at;
layout(location = 0) out ivec4 o;
void main()
{
    ivec4 slope = ivec4(floor(fwidth(at) + 0.5)), product = slope;
    product.xz *= ivec2(factor.xy);
    o = ivec4(product.x, slope.w, product.z, slope.y);
}
