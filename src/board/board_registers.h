/* SPDX-License-Identifier: MIT
 *
 * Offsets and bits of V3D's registers [guide p.82-104; the kernel's vc4_regs.h and vc4asm's addendum name some that the
 * guide leaves out]. Private to board/.
 */
#ifndef BOARD_REGISTERS_H
#define BOARD_REGISTERS_H

#include "util/macros.h"

enum board_register {
    V3D_IDENT0 = 0x000,
    V3D_IDENT1 = 0x004,
    V3D_IDENT2 = 0x008,
    V3D_SCRATCH = 0x010,
    V3D_L2CACTL = 0x020,
    V3D_SLCACTL = 0x024,
    V3D_INTCTL = 0x030,
    V3D_INTENA = 0x034,
    V3D_INTDIS = 0x038,
    V3D_CT0CS = 0x100, /* from here on a word for each list thread */
    V3D_CT0EA = 0x108,
    V3D_CT0CA = 0x110,
    V3D_CT0RA0 = 0x118,
    V3D_CT0LC = 0x120,
    V3D_CT0PC = 0x128,
    V3D_PCS = 0x130,
    V3D_BFC = 0x134,
    V3D_RFC = 0x138,
    V3D_BPCA = 0x300,
    V3D_BPCS = 0x304,
    V3D_BPOA = 0x308,
    V3D_BPOS = 0x30c,
    V3D_BXCF = 0x310,
    V3D_SQRSV0 = 0x410,
    V3D_SQRSV1 = 0x414,
    V3D_SQCNTL = 0x418,
    V3D_SRQPC = 0x430,
    V3D_SRQUA = 0x434,
    V3D_SRQUL = 0x438,
    V3D_SRQCS = 0x43c,
    V3D_VPACNTL = 0x500,
    V3D_VPMBASE = 0x504,
    V3D_PCTRC = 0x670,
    V3D_PCTRE = 0x674,
    V3D_PCTR0 = 0x680, /* counter n at 8 n, its source behind it */
    V3D_PCTR_END = 0x700,
    V3D_DBQITE = 0xe2c,
    V3D_DBQITC = 0xe30,
    V3D_DBGE = 0xf00,
    V3D_FDBGO = 0xf04,
    V3D_FDBGB = 0xf08,
    V3D_FDBGR = 0xf0c,
    V3D_FDBGS = 0xf10,
    V3D_ERRSTAT = 0xf20,
};

/* IDENT0 to IDENT2 of the reference configuration: 12 KiB of VPM, 16 semaphores, three slices of four QPUs and two
 * TMUs, revision 1, a double-buffered tile buffer of full size [guide p.96-97]. */
#define IDENT0_VALUE 0x02443356u
#define IDENT1_VALUE 0xc1102431u
#define IDENT2_VALUE 0x00000121u

#define L2CACTL_ENABLED BIT(0)
#define L2CACTL_DISABLE BIT(1)

#define INT_FRDONE   BIT(0)
#define INT_FLDONE   BIT(1)
#define INT_OUTOMEM  BIT(2)
#define INT_SPILLUSE BIT(3)
#define INT_MASK     0xfu

#define CTCS_MODE        BIT(0)
#define CTCS_ERROR       BIT(3)
#define CTCS_SUB_MODE    BIT(4)
#define CTCS_RUN         BIT(5)
#define CTCS_DEPTH_SHIFT 8
#define CTCS_SEMA_SHIFT  12
#define CTCS_SEMA_MAX    7u
#define CTCS_RESET       BIT(15)

#define CTLC_CLEAR_RETURNS BIT(0)
#define CTLC_CLEAR_FLUSHES BIT(16)

#define PCS_BIN_ACTIVE    BIT(0)
#define PCS_BIN_BUSY      BIT(1)
#define PCS_RENDER_ACTIVE BIT(2)
#define PCS_RENDER_BUSY   BIT(3)
#define PCS_OUT_OF_MEMORY BIT(8)

#define SRQCS_LENGTH_MASK     0x3fu
#define SRQCS_CLEAR_QUEUE     BIT(0)
#define SRQCS_ERROR           BIT(7)
#define SRQCS_REQUESTED_SHIFT 8
#define SRQCS_COMPLETED_SHIFT 16
#define SRQUL_MASK            0xfffu
#define SRQ_DEPTH             16u

#define PCTR_COUNTERS 16u
#define PCTRS_MASK    0x1fu
#define PCTRE_MASK    0x8000ffffu
#define PCTRE_ON      BIT(31) /* not in the guide [vc4asm addendum; kernel vc4_perfmon.c] */

#define DBQ_MASK 0xffffu

#define ERRSTAT_VCD_IDLE BIT(12)

#endif
