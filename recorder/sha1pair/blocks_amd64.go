//go:build !purego

package sha1pair

import "golang.org/x/sys/cpu"

// blocks takes n blocks of 64 bytes at p into the state h, and n at q into k; n is at least 1. The
// states must not be the same.
//
//go:noescape
func blocks(h, k *[5]uint32, p, q *byte, n int)

func hasSHA() bool

// interleaves is whether the processor, and the system, can run blocks.
var interleaves = cpu.X86.HasAVX512F && cpu.X86.HasAVX512VL && cpu.X86.HasAVX512BW && hasSHA()
