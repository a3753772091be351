#version 450
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_clustered : require
#ifdef SMALL
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_subgroup_extended_types_int8 : require
#extension GL_EXT_shader_subgroup_extended_types_int16 : require
#extension GL_EXT_shader_subgroup_extended_types_float16 : require
#endif
// Every arithmetic operation of a type, in all forms, with some lanes inactive. One workgroup of 40; row r of the results
// has 48 words. Compiled for each type, which the macros TYPE and OPERATIONS give; SMALL is an integer type of 8 or 16
// bits.
layout(local_size_x = 40) in;
layout(set = 0, binding = 0) buffer Out { uint words[][48]; };
layout(set = 0, binding = 1) readonly buffer In { uint values[]; };

#ifdef HALVES
#define TYPE float16_t
#define FROM(w) float16_t(1 + 0.25 * float(w & 3u))
#define TO(v) floatBitsToUint(float(v))
#define OPERATIONS FORMS(0, Add) FORMS(1, Mul) FORMS(2, Min) FORMS(3, Max)
#elif defined(FLOATS)
#define TYPE float
#define FROM(w) float(w)
#define TO(v) floatBitsToUint(v)
#define OPERATIONS FORMS(0, Add) FORMS(1, Mul) FORMS(2, Min) FORMS(3, Max)
#elif defined(INTS)
#ifdef SMALL
#define TYPE SMALL
#else
#define TYPE int
#endif
#define FROM(w) TYPE(int(w) - 20)
#define TO(v) uint(v)
#define OPERATIONS FORMS(0, Add) FORMS(1, Mul) FORMS(2, Min) FORMS(3, Max) FORMS(4, And) FORMS(5, Or) FORMS(6, Xor)
#elif defined(BOOLS)
#define TYPE bool
#define FROM(w) ((w & 2u) != 0u)
#define TO(v) (v ? 1u : 0u)
#define OPERATIONS FORMS(4, And) FORMS(5, Or) FORMS(6, Xor)
#else
#ifdef SMALL
#define TYPE SMALL
#else
#define TYPE uint
#endif
#define FROM(w) TYPE(w * 0x9e3779b9u)
#define TO(v) uint(v)
#define OPERATIONS FORMS(0, Add) FORMS(1, Mul) FORMS(2, Min) FORMS(3, Max) FORMS(4, And) FORMS(5, Or) FORMS(6, Xor)
#endif

#define STORE(row, v) words[row][i] = TO(v);
#define FORMS(n, op) \
    STORE(8 * n + 0, subgroup##op(v)) \
    STORE(8 * n + 1, subgroupInclusive##op(v)) \
    STORE(8 * n + 2, subgroupExclusive##op(v)) \
    STORE(8 * n + 3, subgroupClustered##op(v, 1u)) \
    STORE(8 * n + 4, subgroupClustered##op(v, 2u)) \
    STORE(8 * n + 5, subgroupClustered##op(v, 4u)) \
    STORE(8 * n + 6, subgroupClustered##op(v, 8u)) \
    STORE(8 * n + 7, subgroupClustered##op(v, 16u))

void main()
{
    uint i = gl_LocalInvocationIndex;
    TYPE v = FROM(values[i]);
    if (values[i] % 5u < 3u) {
        OPERATIONS
    }
}
