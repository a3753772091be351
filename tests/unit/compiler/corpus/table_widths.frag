#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
// Numbers of 8, 16 and 64 bits, signed and not.
// out@0 -65 -8517 -1 -16
// out@3 191 -8517 916259689 -7
// out@6 191 -8517 1832519379 2
// out@9 191 57019 -1546188228 11
// out@15 -65 57019 286331152 29
layout(location = 0) in vec4 v;
layout(location = 0) out ivec4 o;
const int8_t b[20] = int8_t[](
    int8_t(-128), int8_t(-91), int8_t(-54), int8_t(-17),
    int8_t(20), int8_t(57), int8_t(94), int8_t(-125),
    int8_t(-88), int8_t(-51), int8_t(-14), int8_t(23),
    int8_t(60), int8_t(97), int8_t(-122), int8_t(-85),
    int8_t(-48), int8_t(-11), int8_t(26), int8_t(63));
const uint8_t ub[20] = uint8_t[](
    uint8_t(128u), uint8_t(165u), uint8_t(202u), uint8_t(239u),
    uint8_t(20u), uint8_t(57u), uint8_t(94u), uint8_t(131u),
    uint8_t(168u), uint8_t(205u), uint8_t(242u), uint8_t(23u),
    uint8_t(60u), uint8_t(97u), uint8_t(134u), uint8_t(171u),
    uint8_t(208u), uint8_t(245u), uint8_t(26u), uint8_t(63u));
const int16_t s[20] = int16_t[](
    int16_t(-32768), int16_t(-29767), int16_t(-26766), int16_t(-23765),
    int16_t(-20764), int16_t(-17763), int16_t(-14762), int16_t(-11761),
    int16_t(-8760), int16_t(-5759), int16_t(-2758), int16_t(243),
    int16_t(3244), int16_t(6245), int16_t(9246), int16_t(12247),
    int16_t(15248), int16_t(18249), int16_t(21250), int16_t(24251));
const uint16_t us[20] = uint16_t[](
    uint16_t(32768u), uint16_t(35769u), uint16_t(38770u), uint16_t(41771u),
    uint16_t(44772u), uint16_t(47773u), uint16_t(50774u), uint16_t(53775u),
    uint16_t(56776u), uint16_t(59777u), uint16_t(62778u), uint16_t(243u),
    uint16_t(3244u), uint16_t(6245u), uint16_t(9246u), uint16_t(12247u),
    uint16_t(15248u), uint16_t(18249u), uint16_t(21250u), uint16_t(24251u));
const int64_t l[20] = int64_t[](
    int64_t(-5L), int64_t(4886718340L), int64_t(9773436685L), int64_t(14660155030L),
    int64_t(19546873375L), int64_t(24433591720L), int64_t(29320310065L), int64_t(34207028410L),
    int64_t(39093746755L), int64_t(43980465100L), int64_t(48867183445L), int64_t(53753901790L),
    int64_t(58640620135L), int64_t(63527338480L), int64_t(68414056825L), int64_t(73300775170L),
    int64_t(78187493515L), int64_t(83074211860L), int64_t(87960930205L), int64_t(92847648550L));
const float16_t h[20] = float16_t[](
    float16_t(-2.0f), float16_t(-1.75f), float16_t(-1.5f), float16_t(-1.25f),
    float16_t(-1.0f), float16_t(-0.75f), float16_t(-0.5f), float16_t(-0.25f),
    float16_t(0.0f), float16_t(0.25f), float16_t(0.5f), float16_t(0.75f),
    float16_t(1.0f), float16_t(1.25f), float16_t(1.5f), float16_t(1.75f),
    float16_t(2.0f), float16_t(2.25f), float16_t(2.5f), float16_t(2.75f));
void main()
{
    int i = int(v.x);
    o = ivec4(int(b[i]) + int(ub[19 - i]), int(s[i]) + int(us[19 - i]), int(l[i] >> 4), int(float(h[i]) * 8.0) + i);
}
