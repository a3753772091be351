#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_ARB_gpu_shader_int64 : require
// Operations on 64-bit integers whose operands come from a buffer. Divisors are never 0.
layout(local_size_x = 16) in;

struct Operands { uint64_t a, b; float f; uint n; };
const int RESULTS = 36;
layout(set = 0, binding = 0, std430) readonly buffer In { Operands operands[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Out { uint64_t results[][RESULTS]; };
shared uint64_t exchanged[16];

void main()
{
    uint i = gl_GlobalInvocationID.x, k = 0;
    uint64_t a = operands[i].a, b = operands[i].b;
    int64_t sa = int64_t(a), sb = int64_t(b);
    float f = operands[i].f;
    uint n = operands[i].n & 63u;
    results[i][k++] = a + b;
    results[i][k++] = a - b;
    results[i][k++] = a * b;
    results[i][k++] = a / b;
    results[i][k++] = a % b;
    results[i][k++] = uint64_t(sa / sb);
    results[i][k++] = uint64_t(sa % sb);
    results[i][k++] = uint64_t(-sa);
    results[i][k++] = a & b;
    results[i][k++] = a | b;
    results[i][k++] = a ^ b;
    results[i][k++] = ~a;
    results[i][k++] = a << n;
    results[i][k++] = a >> n;
    results[i][k++] = uint64_t(sa >> n);
    results[i][k++] = b << (a & 63ul);
    results[i][k++] = uint64_t(abs(sa));
    results[i][k++] = uint64_t(sign(sa));
    results[i][k++] = min(a, b);
    results[i][k++] = max(a, b);
    results[i][k++] = uint64_t(min(sa, sb));
    results[i][k++] = uint64_t(max(sa, sb));
    results[i][k++] = clamp(a, 1000ul, max(b, 1000ul));
    results[i][k++] = uint64_t(clamp(sa, -1000l, max(sb, -1000l)));
    results[i][k++] = uint64_t(f);
    results[i][k++] = uint64_t(int64_t(-f));
    results[i][k++] = uint64_t(floatBitsToUint(float(a))) | uint64_t(floatBitsToUint(float(sa))) << 32;
    results[i][k++] = uint64_t(int(a)) + uint64_t(uint(b));
    results[i][k++] = uint64_t(int64_t(int(a))) ^ uint64_t(a < b) ^ uint64_t(sa < sb) << 1 ^ uint64_t(a >= b) << 2;
    u64vec3 quotients = u64vec3(a, b, a + b) / u64vec3(b, a | 1ul, 10ul);
    results[i][k++] = quotients.x ^ quotients.y;
    results[i][k++] = quotients.z;
    i64vec2 rests = i64vec2(sa, sb) % i64vec2(-10l, 1000003l);
    results[i][k++] = uint64_t(rests.x);
    results[i][k++] = uint64_t(rests.y);
    u64vec2 products = u64vec2(a, b) * u64vec2(a, 0x100000001b3ul);
    results[i][k++] = products.x;
    results[i][k++] = products.y;
    exchanged[gl_LocalInvocationIndex] = a;
    barrier();
    results[i][k++] = exchanged[15u - gl_LocalInvocationIndex] + b;
}
