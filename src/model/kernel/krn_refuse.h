/* SPDX-License-Identifier: MIT
 *
 * Each rule by which the kernel refuses something has a row here: a name for the code and the tests, and the text for
 * messages. The numbers are section numbers of the project's hardware notes.
 */
#ifndef KRN_REFUSE_H
#define KRN_REFUSE_H

#include "util/macros.h"

/* X(NAME, text) */
#define KRN_RULES(X)                                                                                                   \
    X(SUBMIT_FLAGS, "9.3 flags: unknown flag")                                                                         \
    X(SUBMIT_PAD, "9.3 pad2: not zero")                                                                                \
    X(SUBMIT_BOS, "9.3 buffer table: none given")                                                                      \
    X(SUBMIT_HANDLE, "9.3 buffer table: no such handle")                                                               \
    X(SUBMIT_PURGED, "9.2 madvise: a purgeable buffer is used")                                                        \
    X(SUBMIT_TWICE, "9.3 buffer table: a buffer twice")                                                                \
    X(SUBMIT_SIZES, "9.3 sizes: overflow")                                                                             \
    X(SUBMIT_SYNC, "9.3 syncobj: no such handle")                                                                      \
    X(SUBMIT_PERFMON, "9.3 perfmon: no such id")                                                                       \
    X(BO_INDEX, "9.4 relocation: buffer index out of range")                                                           \
    X(BO_KIND, "9.4 relocation: wrong kind of buffer")                                                                 \
    X(BIN_PACKET, "9.4 packets: not allowed in a binning list")                                                        \
    X(BIN_FITS, "9.4 packets: cut off at the end of the list")                                                         \
    X(BIN_CONFIG, "9.4 rule 1: tile binning mode config")                                                              \
    X(BIN_START, "9.4 rule 1: start tile binning")                                                                     \
    X(BIN_END, "9.4 rule 2: the list must end with increment semaphore and flush")                                     \
    X(SHADER_STATE, "9.4 rule 3: GL shader state")                                                                     \
    X(NO_SHADER_STATE, "9.4 rule 4: primitives before any shader state")                                               \
    X(INDEX_BUFFER, "9.4 rule 4: index buffer too small")                                                              \
    X(VERTEX_RANGE, "9.4 rule 5: vertex range wraps")                                                                  \
    X(SHADER_REC_SIZE, "9.4 shader records: data too short")                                                           \
    X(SHADER_REC_CODE, "9.4 shader records: code offset not 0")                                                        \
    X(SHADER_REC_THREADS, "9.4 shader records: threading of the program")                                              \
    X(UNIFORMS_SIZE, "9.4 uniforms: data too short")                                                                   \
    X(ATTRIBUTE_RANGE, "9.4 attributes: vertex buffer too small")                                                      \
    X(ATTRIBUTE_INDEX, "9.4 attributes: vertex buffer too small for the highest index")                                \
    X(TEX_TYPE, "9.5 textures: type not allowed")                                                                      \
    X(TEX_SIZE, "9.5 textures: buffer too small")                                                                      \
    X(TEX_CUBE, "9.5 textures: cube map stride")                                                                       \
    X(TEX_LEVELS, "9.5 textures: mip levels before the start of the buffer")                                           \
    X(TEX_PARAMETERS, "9.5 textures: too few parameters")                                                              \
    X(TEX_DIRECT, "9.5 direct lookups: outside the buffer")                                                            \
    X(CODE_SIZE, "9.1 CREATE_SHADER_BO: size, flags or pad")                                                           \
    X(CODE_END, "9.6 rule 1: no program end")                                                                          \
    X(CODE_SIGNAL, "9.6 rule 2: signal not allowed")                                                                   \
    X(CODE_BRANCH, "9.6 rule 3: branch")                                                                               \
    X(CODE_BRANCH_WRITES, "9.6 rule 4: a branch writes a register")                                                    \
    X(CODE_WRITE, "9.6 rule 5: write address not allowed")                                                             \
    X(CODE_UNIFORM_RESET, "9.6 rule 8: uniforms address reset")                                                        \
    X(CODE_UNIFORM_UNSET, "9.6 rule 8: uniform consumed after a branch target without a reset")                        \
    X(CODE_TMU_COUNT, "9.6 rule 11: more than four texture parameters")                                                \
    X(CODE_TMU_UNIFORM, "9.6 rule 11: uniform read beside a texture parameter")                                        \
    X(CODE_TMU_BOTH, "9.6 rule 12: both ALUs write texture registers")                                                 \
    X(CODE_TMU_DIRECT, "9.6 rule 13: form of a direct lookup")                                                         \
    X(CODE_TMU_CLAMP, "9.6 rule 14: direct lookup without a live clamp")                                               \
    X(CODE_TMU_SPAN, "9.6 rule 15: texture setup spans a branch target")                                               \
    X(CODE_THREADS, "9.6 rule 17: thread switches")                                                                    \
    X(CODE_THREAD_REGISTERS, "9.6 rule 17: a threaded program uses registers 16 to 31")                                \
    X(SURFACE_BITS, "9.7 surfaces: bits")                                                                              \
    X(SURFACE_FLAGS, "9.7 surfaces: flags")                                                                            \
    X(SURFACE_OFFSET, "9.7 surfaces: offset not a multiple of 16")                                                     \
    X(SURFACE_SIZE, "9.7 surfaces: buffer too small")                                                                  \
    X(SURFACE_NONE, "9.7 surfaces: nothing is stored")                                                                 \
    X(TILE_RANGE, "9.7 tile range")

enum krn_rule {
#define X(name, text) KRN_RULE_##name,
    KRN_RULES(X)
#undef X
        KRN_RULE_COUNT
};

const char *krn_rule_text(enum krn_rule rule);

/* Records "RULE TEXT: details" as the calling thread's last refusal. Returns -EINVAL. */
int krn_refuse(enum krn_rule rule, const char *fmt, ...) UTIL_PRINTF(2, 3);
/* The same with another error. */
int krn_refuse_as(int err, enum krn_rule rule, const char *fmt, ...) UTIL_PRINTF(3, 4);
void krn_clear_refusal(void);

#endif
