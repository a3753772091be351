/* SPDX-License-Identifier: MIT
 *
 * Host floating-point mode of the model's threads: round toward zero, denormals flushed. On hosts that cannot flush
 * denormals results are still right, because gpu_alu.c fixes them up, only slower.
 */
#include <fenv.h>
#include "model/gpu/gpu_alu.h"

#if defined(__SSE2__)

#include <immintrin.h>

struct gpu_fp_mode gpu_fp_enter(void)
{
    struct gpu_fp_mode mode = {_mm_getcsr()};

    fesetround(FE_TOWARDZERO); /* x87 too, where the compiler uses it */
    _mm_setcsr((_mm_getcsr() & ~(unsigned)_MM_ROUND_MASK) | _MM_ROUND_TOWARD_ZERO | 0x8040u); /* FTZ, DAZ */
    return mode;
}

void gpu_fp_leave(struct gpu_fp_mode mode)
{
    fesetround((mode.saved & _MM_ROUND_MASK) == _MM_ROUND_NEAREST ? FE_TONEAREST : FE_TOWARDZERO);
    _mm_setcsr((unsigned)mode.saved);
}

#elif defined(__aarch64__)

struct gpu_fp_mode gpu_fp_enter(void)
{
    struct gpu_fp_mode mode;
    uint64_t fpcr;

    __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
    mode.saved = fpcr;
    fpcr |= UINT64_C(3) << 22 | UINT64_C(1) << 24; /* RMode toward zero, FZ */
    __asm__ volatile("msr fpcr, %0" : : "r"(fpcr));
    return mode;
}

void gpu_fp_leave(struct gpu_fp_mode mode)
{
    __asm__ volatile("msr fpcr, %0" : : "r"(mode.saved));
}

#elif defined(__arm__) && defined(__VFP_FP__) && !defined(__SOFTFP__)

struct gpu_fp_mode gpu_fp_enter(void)
{
    struct gpu_fp_mode mode;
    uint32_t fpscr;

    __asm__ volatile("vmrs %0, fpscr" : "=r"(fpscr));
    mode.saved = fpscr;
    fpscr |= 3u << 22 | 1u << 24; /* RMode toward zero, FZ */
    __asm__ volatile("vmsr fpscr, %0" : : "r"(fpscr));
    return mode;
}

void gpu_fp_leave(struct gpu_fp_mode mode)
{
    __asm__ volatile("vmsr fpscr, %0" : : "r"((uint32_t)mode.saved));
}

#else

struct gpu_fp_mode gpu_fp_enter(void)
{
    struct gpu_fp_mode mode = {(uint64_t)fegetround()};

    fesetround(FE_TOWARDZERO);
    return mode;
}

void gpu_fp_leave(struct gpu_fp_mode mode)
{
    fesetround((int)mode.saved);
}

#endif
