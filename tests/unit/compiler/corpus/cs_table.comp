#version 450
// Tables of constants in a compute program: w[i] is t[3 i % 40] of x, and the words of y that a number of 64 bits names.
layout(local_size_x = 16) in;
layout(set = 0, binding = 5, std430) buffer W { uint w[64]; };
const uint x[40] = uint[](
    0u, 2654435761u, 1013904226u, 3668339987u, 2027808452u, 387276917u,
    3041712678u, 1401181143u, 4055616904u, 2415085369u, 774553834u, 3428989595u,
    1788458060u, 147926525u, 2802362286u, 1161830751u, 3816266512u, 2175734977u,
    535203442u, 3189639203u, 1549107668u, 4203543429u, 2563011894u, 922480359u,
    3576916120u, 1936384585u, 295853050u, 2950288811u, 1309757276u, 3964193037u,
    2323661502u, 683129967u, 3337565728u, 1697034193u, 56502658u, 2710938419u,
    1070406884u, 3724842645u, 2084311110u, 443779575u);
const uvec2 y[16] = uvec2[](
    uvec2(0u, 0u), uvec2(3u, 1u), uvec2(6u, 4u), uvec2(9u, 9u), uvec2(12u, 16u), uvec2(15u, 25u),
    uvec2(18u, 36u), uvec2(21u, 49u), uvec2(24u, 64u), uvec2(27u, 81u), uvec2(30u, 100u), uvec2(33u, 121u),
    uvec2(36u, 144u), uvec2(39u, 169u), uvec2(42u, 196u), uvec2(45u, 225u));
void main()
{
    const uint i = gl_GlobalInvocationID.x;
    w[i] = x[i * 3u % 40u] + y[i % 16u].x * y[15u - i % 16u].y;
}
