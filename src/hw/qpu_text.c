/* SPDX-License-Identifier: MIT
 *
 * The words of the QPU text, indexed by field value. Register names follow [guide p.37 table 14].
 */
#include <string.h>
#include "hw/qpu_text.h"

const char *const qpu_text_sig[16] = {
    [QPU_SIG_BREAKPOINT] = "breakpoint",
    [QPU_SIG_THREAD_SWITCH] = "thrsw",
    [QPU_SIG_PROGRAM_END] = "end",
    [QPU_SIG_WAIT_SCOREBOARD] = "wait_sb",
    [QPU_SIG_UNLOCK_SCOREBOARD] = "unlock_sb",
    [QPU_SIG_LAST_THREAD_SWITCH] = "last_thrsw",
    [QPU_SIG_COVERAGE_LOAD] = "load_coverage",
    [QPU_SIG_COLOR_LOAD] = "load_color",
    [QPU_SIG_COLOR_LOAD_END] = "load_color_end",
    [QPU_SIG_LOAD_TMU0] = "load_tmu0",
    [QPU_SIG_LOAD_TMU1] = "load_tmu1",
    [QPU_SIG_ALPHA_MASK_LOAD] = "load_alpha",
    [QPU_SIG_SMALL_IMM] = "small_imm",
};

const char *const qpu_text_cond[8] = {"never", "always", "ifz", "ifnz", "ifn", "ifnn", "ifc", "ifnc"};

const char *const qpu_text_branch_cond[16] = {
    [QPU_BRANCH_ALL_ZS] = "allz",
    [QPU_BRANCH_ALL_ZC] = "allnz",
    [QPU_BRANCH_ANY_ZS] = "anyz",
    [QPU_BRANCH_ANY_ZC] = "anynz",
    [QPU_BRANCH_ALL_NS] = "alln",
    [QPU_BRANCH_ALL_NC] = "allnn",
    [QPU_BRANCH_ANY_NS] = "anyn",
    [QPU_BRANCH_ANY_NC] = "anynn",
    [QPU_BRANCH_ALL_CS] = "allc",
    [QPU_BRANCH_ALL_CC] = "allnc",
    [QPU_BRANCH_ANY_CS] = "anyc",
    [QPU_BRANCH_ANY_CC] = "anync",
    [12] = "cond12",
    [13] = "cond13",
    [14] = "cond14",
    [QPU_BRANCH_ALWAYS] = "always",
};

const char *const qpu_text_unpack[8] = {NULL, "16a", "16b", "8dr", "8a", "8b", "8c", "8d"};

const char *const qpu_text_pack_a[16] = {
    NULL, "16a", "16b", "8888", "8a", "8b", "8c", "8d", "32s", "16as", "16bs", "8888s", "8as", "8bs", "8cs", "8ds",
};

const char *const qpu_text_load_imm[8] = {
    [QPU_LOAD_IMM_32] = "ldi",
    [QPU_LOAD_IMM_PER_LANE_SIGNED] = "ldi2s",
    [2] = "ldi_mode2",
    [QPU_LOAD_IMM_PER_LANE_UNSIGNED] = "ldi2u",
    [QPU_LOAD_IMM_SEMAPHORE] = "sem",
    [5] = "ldi_mode5",
    [6] = "ldi_mode6",
    [7] = "ldi_mode7",
};

const char *const qpu_text_raddr[2][64] = {
    {
        [QPU_R_UNIFORM] = "unif",
        [QPU_R_VARYING] = "vary",
        [QPU_R_ELEMENT_QPU] = "elem",
        [QPU_R_NOP] = "nop_a",
        [QPU_R_XY_PIXEL_COORD] = "x_pix",
        [QPU_R_MS_REV_FLAGS] = "ms_flags",
        [QPU_R_VPM] = "vpm",
        [QPU_R_VPM_BUSY] = "vpm_ld_busy",
        [QPU_R_VPM_WAIT] = "vpm_ld_wait",
        [QPU_R_MUTEX_ACQUIRE] = "mutex",
    },
    {
        [QPU_R_UNIFORM] = "unif_b",
        [QPU_R_VARYING] = "vary_b",
        [QPU_R_ELEMENT_QPU] = "qpu_num",
        [QPU_R_NOP] = "nop_b",
        [QPU_R_XY_PIXEL_COORD] = "y_pix",
        [QPU_R_MS_REV_FLAGS] = "rev_flag",
        [QPU_R_VPM] = "vpm_b",
        [QPU_R_VPM_BUSY] = "vpm_st_busy",
        [QPU_R_VPM_WAIT] = "vpm_st_wait",
        [QPU_R_MUTEX_ACQUIRE] = "mutex_b",
    },
};

/* Write addresses that mean the same on both sides. */
#define COMMON_WADDR                                                                                                   \
    [QPU_W_ACC0] = "r0", [QPU_W_ACC1] = "r1", [QPU_W_ACC2] = "r2", [QPU_W_ACC3] = "r3",                                \
    [QPU_W_TMU_NOSWAP] = "tmu_noswap", [QPU_W_HOST_INT] = "host_int", [QPU_W_NOP] = "nop",                             \
    [QPU_W_TLB_STENCIL_SETUP] = "stencil_setup", [QPU_W_TLB_Z] = "tlb_z", [QPU_W_TLB_COLOR_MS] = "tlb_c_ms",           \
    [QPU_W_TLB_COLOR_ALL] = "tlb_c", [QPU_W_TLB_ALPHA_MASK] = "tlb_alpha", [QPU_W_VPM] = "vpm",                        \
    [QPU_W_MUTEX_RELEASE] = "mutex_release", [QPU_W_SFU_RECIP] = "recip", [QPU_W_SFU_RSQRT] = "rsqrt",                 \
    [QPU_W_SFU_EXP] = "exp", [QPU_W_SFU_LOG] = "log", [QPU_W_TMU0_S] = "tmu0_s", [QPU_W_TMU0_T] = "tmu0_t",            \
    [QPU_W_TMU0_R] = "tmu0_r", [QPU_W_TMU0_B] = "tmu0_b", [QPU_W_TMU1_S] = "tmu1_s", [QPU_W_TMU1_T] = "tmu1_t",        \
    [QPU_W_TMU1_R] = "tmu1_r", [QPU_W_TMU1_B] = "tmu1_b"

const char *const qpu_text_waddr[2][64] = {
    {
        COMMON_WADDR,
        [QPU_W_ACC5] = "r5_quad",
        [QPU_W_UNIFORMS_ADDRESS] = "unif_addr",
        [QPU_W_QUAD_XY] = "quad_x",
        [QPU_W_MS_REV_FLAGS] = "ms_flags",
        [QPU_W_VPMVCD_SETUP] = "vpm_rd_setup",
        [QPU_W_VPM_ADDR] = "vpm_ld_addr",
    },
    {
        COMMON_WADDR,
        [QPU_W_ACC5] = "r5_all",
        [QPU_W_UNIFORMS_ADDRESS] = "unif_addr_rel",
        [QPU_W_QUAD_XY] = "quad_y",
        [QPU_W_MS_REV_FLAGS] = "rev_flag",
        [QPU_W_VPMVCD_SETUP] = "vpm_wr_setup",
        [QPU_W_VPM_ADDR] = "vpm_st_addr",
    },
};

bool qpu_text_waddr_tells_side(unsigned waddr)
{
    assert(waddr < 64);
    return waddr < 32 || strcmp(qpu_text_waddr[0][waddr], qpu_text_waddr[1][waddr]) != 0;
}
