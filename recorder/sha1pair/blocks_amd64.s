//go:build !purego

#include "textflag.h"

// Of the first stream: A to D, E by turns, the schedule of the last 32 rounds, four words each, and what the block began with. The first word of four is in the
// highest lane, as SHA1RNDS4 has it.
#define ABCD1 X0
#define EVEN1 X1
#define ODD1  X2
#define WAS1  X3
#define WASE1 X4
#define A0 X16
#define A1 X17
#define A2 X18
#define A3 X19
#define A4 X20
#define A5 X21
#define A6 X22
#define A7 X23

// The same of the second.
#define ABCD2 X5
#define EVEN2 X6
#define ODD2  X7
#define WAS2  X8
#define WASE2 X9
#define B0 X24
#define B1 X25
#define B2 X26
#define B3 X27
#define B4 X28
#define B5 X29
#define B6 X30
#define B7 X31

#define REVERSED X10
#define T1 X11
#define T2 X12
#define LANE3 K1 // where SHA1RNDS4 has E

// Four rounds. The E of the next four is rotl(A, 30) of before these, added to the first of the words w.
#define ROUNDS(function, abcd, e, w, next) \
	VPROLD.Z  $30, abcd, LANE3, next \
	VPADDD    w, next, next          \
	SHA1RNDS4 $function, e, abcd

#define EVEN(function, a, b) \
	ROUNDS(function, ABCD1, EVEN1, a, ODD1) \
	ROUNDS(function, ABCD2, EVEN2, b, ODD2)

#define ODD(function, a, b) \
	ROUNDS(function, ABCD1, ODD1, a, EVEN1) \
	ROUNDS(function, ABCD2, ODD2, b, EVEN2)

// The words t to t+3 from the 16 before, as FIPS 180-4 has them: rotl(w[t-3] ^ w[t-8] ^ w[t-14] ^ w[t-16], 1). For the last, w[t-3] is the first of them.
#define SECOND16(w0, w1, w2, w3, new) \
	VPALIGNR   $8, w1, w0, T1    \
	VPSLLDQ    $4, w3, T2        \
	VPTERNLOGD $0x96, w0, w2, T1 \
	VPXORD     T2, T1, T1        \
	VPSRLDQ    $12, T1, T2       \
	VPROLD     $1, T1, T1        \
	VPROLD     $2, T2, T2        \
	VPXORD     T2, T1, new

// The words t to t+3 in place of t-32 to t-29, for t from 32: rotl(w[t-6] ^ w[t-16] ^ w[t-28] ^ w[t-32], 2), which is the same put in itself. None depends on another.
#define LATER(w0, w1, w4, w6, w7) \
	VPALIGNR   $8, w7, w6, T1    \
	VPXORD     w1, w0, T2        \
	VPTERNLOGD $0x96, w4, T2, T1 \
	VPROLD     $2, T1, w0

#define LOAD(from, w0, w1, w2, w3) \
	VMOVDQU32 0(from), w0       \
	VMOVDQU32 16(from), w1      \
	VMOVDQU32 32(from), w2      \
	VMOVDQU32 48(from), w3      \
	VPSHUFB   REVERSED, w0, w0 \
	VPSHUFB   REVERSED, w1, w1 \
	VPSHUFB   REVERSED, w2, w2 \
	VPSHUFB   REVERSED, w3, w3

// func blocks(h, k *[5]uint32, p, q *byte, n int)
TEXT ·blocks(SB), NOSPLIT, $0-40
	MOVQ h+0(FP), R8
	MOVQ k+8(FP), R9
	MOVQ p+16(FP), SI
	MOVQ q+24(FP), DI
	MOVQ n+32(FP), CX

	// With anything in the upper halves each SHA1RNDS4 would take hundreds of cycles.
	VZEROUPPER
	MOVL    $8, AX
	KMOVW   AX, LANE3
	VMOVDQU reversed<>(SB), REVERSED
	VMOVDQU (R8), ABCD1
	VPSHUFD $0x1b, ABCD1, ABCD1
	VPXOR   EVEN1, EVEN1, EVEN1
	VPINSRD $3, 16(R8), EVEN1, EVEN1
	VMOVDQU (R9), ABCD2
	VPSHUFD $0x1b, ABCD2, ABCD2
	VPXOR   EVEN2, EVEN2, EVEN2
	VPINSRD $3, 16(R9), EVEN2, EVEN2

loop:
	LOAD(SI, A0, A1, A2, A3)
	LOAD(DI, B0, B1, B2, B3)
	VMOVDQA ABCD1, WAS1
	VMOVDQA EVEN1, WASE1
	VMOVDQA ABCD2, WAS2
	VMOVDQA EVEN2, WASE2
	VPADDD  A0, EVEN1, EVEN1
	VPADDD  B0, EVEN2, EVEN2

	EVEN(0, A1, B1)
	SECOND16(A0, A1, A2, A3, A4)
	SECOND16(B0, B1, B2, B3, B4)
	ODD(0, A2, B2)
	SECOND16(A1, A2, A3, A4, A5)
	SECOND16(B1, B2, B3, B4, B5)
	EVEN(0, A3, B3)
	SECOND16(A2, A3, A4, A5, A6)
	SECOND16(B2, B3, B4, B5, B6)
	ODD(0, A4, B4)
	SECOND16(A3, A4, A5, A6, A7)
	SECOND16(B3, B4, B5, B6, B7)
	EVEN(0, A5, B5)
	LATER(A0, A1, A4, A6, A7)
	LATER(B0, B1, B4, B6, B7)

	ODD(1, A6, B6)
	LATER(A1, A2, A5, A7, A0)
	LATER(B1, B2, B5, B7, B0)
	EVEN(1, A7, B7)
	LATER(A2, A3, A6, A0, A1)
	LATER(B2, B3, B6, B0, B1)
	ODD(1, A0, B0)
	LATER(A3, A4, A7, A1, A2)
	LATER(B3, B4, B7, B1, B2)
	EVEN(1, A1, B1)
	LATER(A4, A5, A0, A2, A3)
	LATER(B4, B5, B0, B2, B3)
	ODD(1, A2, B2)
	LATER(A5, A6, A1, A3, A4)
	LATER(B5, B6, B1, B3, B4)

	EVEN(2, A3, B3)
	LATER(A6, A7, A2, A4, A5)
	LATER(B6, B7, B2, B4, B5)
	ODD(2, A4, B4)
	LATER(A7, A0, A3, A5, A6)
	LATER(B7, B0, B3, B5, B6)
	EVEN(2, A5, B5)
	LATER(A0, A1, A4, A6, A7)
	LATER(B0, B1, B4, B6, B7)
	ODD(2, A6, B6)
	LATER(A1, A2, A5, A7, A0)
	LATER(B1, B2, B5, B7, B0)
	EVEN(2, A7, B7)
	LATER(A2, A3, A6, A0, A1)
	LATER(B2, B3, B6, B0, B1)

	ODD(3, A0, B0)
	LATER(A3, A4, A7, A1, A2)
	LATER(B3, B4, B7, B1, B2)
	EVEN(3, A1, B1)
	ODD(3, A2, B2)
	EVEN(3, A3, B3)
	ODD(3, WASE1, WASE2)
	VPADDD WAS1, ABCD1, ABCD1
	VPADDD WAS2, ABCD2, ABCD2

	ADDQ $64, SI
	ADDQ $64, DI
	DECQ CX
	JNZ  loop

	VPSHUFD $0x1b, ABCD1, ABCD1
	VMOVDQU ABCD1, (R8)
	VPEXTRD $3, EVEN1, 16(R8)
	VPSHUFD $0x1b, ABCD2, ABCD2
	VMOVDQU ABCD2, (R9)
	VPEXTRD $3, EVEN2, 16(R9)
	RET

// func hasSHA() bool
//
// CPUID 7.0 EBX bit 29. That there is a 7.0 is known: AVX-512 is in it too.
TEXT ·hasSHA(SB), NOSPLIT, $0-1
	MOVL $7, AX
	XORL CX, CX
	CPUID
	SHRL $29, BX
	ANDL $1, BX
	MOVB BX, ret+0(FP)
	RET

// The words of a message are big-endian.
DATA reversed<>+0(SB)/8, $0x08090a0b0c0d0e0f
DATA reversed<>+8(SB)/8, $0x0001020304050607
GLOBL reversed<>(SB), RODATA|NOPTR, $16
