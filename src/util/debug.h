/* SPDX-License-Identifier: MIT
 *
 * VC4VK_DEBUG: a comma-separated list of words. The table below lists them; the word `help` prints it.
 */
#ifndef UTIL_DEBUG_H
#define UTIL_DEBUG_H

#include "util/macros.h"

/* X(NAME, word, help) */
#define UTIL_DEBUG_WORDS(X)                                                                                            \
    X(CL, "cl", "print the control lists of every job")                                                                \
    X(QPU, "qpu", "print the QPU code of every compiled program")                                                      \
    X(IR, "ir", "print the IR of every compiled program after each pass that changed it")                              \
    X(JOBS, "jobs", "print one line per submitted job; the DRM shim: one per refusal, with the rule")                  \
    X(PERF, "perf", "report costly fall-backs, ignored bits, counts of native, lowered and CPU jobs, where time went") \
    X(PRINTF, "printf", "print what shaders print (DebugPrintf)")                                                      \
    X(SYNC, "sync", "wait for every job as soon as it is issued")                                                      \
    X(HANG, "hang", "when a job hangs, print the job, its control list, the program and its registers")                \
    X(TINY, "tiny", "stress: 64-byte chunks, jobs of at most 1 KiB")                                                   \
    X(FAST_FILTER, "fast-filter", "let the texture unit filter sRGB texels undecoded, and cubes face by face")         \
    X(FEW_REGISTERS, "few-registers", "stress: compile for 20 registers of each file instead of 32")                   \
    X(PLAIN, "plain", "stress: compile without the passes that only make programs better")                             \
    X(VALIDATE, "validate", "check the IR after each pass and the code of every compiled program; abort when wrong")   \
    X(TEST_HOOKS, "test-hooks", "make the driver's test hooks reachable through vkGetDeviceProcAddr")                  \
    X(FORCE_CPU_ENGINE, "force-cpu-engine", "run every job on the CPU engine")                                         \
    X(TILE_COPIES, "tile-copies", "copy and clear whole images by the tile buffer, as on the chip, also on the model") \
    X(NO_JIT, "no-jit", "interpret all QPU programs")                                                                  \
    X(JIT_NOW, "jit-now", "compile QPU programs for the host before their first run, and wait for it")                 \
    X(JIT_SSE2, "jit-sse2", "compile them for the least of this kind of host")                                         \
    X(JIT_AVX2, "jit-avx2", "compile them for hosts with AVX2")                                                        \
    X(JIT_PIECES, "jit-pieces", "stress: compile programs of more than 24 instructions in pieces")                     \
    X(NO_SOLID, "no-solid", "stress: run fragment programs of one colour pixel by pixel, early Z quad by quad")        \
    X(WORST_SFU, "worst-sfu",                                                                                          \
      "stress: special functions as inexact as the chip's notes allow, not as it was measured")                        \
    X(HELP, "help", "print this list")

enum util_debug_bit {
#define X(name, word, help) UTIL_DEBUG_BIT_##name,
    UTIL_DEBUG_WORDS(X)
#undef X
};

enum util_debug {
#define X(name, word, help) UTIL_DEBUG_##name = 1 << UTIL_DEBUG_BIT_##name,
    UTIL_DEBUG_WORDS(X)
#undef X
};

/* The flags from VC4VK_DEBUG, parsed on first use. An unknown word is reported once. */
uint32_t util_debug_flags(void);

static inline bool util_debug(enum util_debug flag)
{
    return (util_debug_flags() & (uint32_t)flag) != 0;
}

/* Parses a list in the format of VC4VK_DEBUG. Unknown words are reported and ignored. */
uint32_t util_debug_parse(const char *words);

#endif
