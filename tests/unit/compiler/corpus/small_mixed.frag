#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(location = 0) in vec4 v;
layout(location = 0) out ivec4 o;
uint8_t count = uint8_t(0);
int16_t next(int16_t x, inout i8vec2 pair)
{
    pair += i8vec2(3, -7);
    count++;
    return x < int16_t(0) ? int16_t(-x) : x * int16_t(317);
}
void main()
{
    int16_t x = int16_t(v.x * 100.0);
    i8vec2 pair = i8vec2(clamp(v.xy, -3.0, 3.0) * 20.0);
    for (int8_t i = int8_t(0); i < int8_t(6); i++)
        x = next(x, pair);
    u16vec2 words = u16vec2(x, x >> 3) / uint16_t(7);
    o = ivec4(x, pair.x * pair.y, words.x % uint16_t(100), words.y + count);
}
