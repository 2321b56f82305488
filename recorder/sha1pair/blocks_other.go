//go:build !amd64 || purego

package sha1pair

const interleaves = false

func blocks(h, k *[5]uint32, p, q *byte, n int) { panic("sha1pair: no blocks") }
