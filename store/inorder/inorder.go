// Package inorder does jobs at the same time and hands on what came of them in the order in which
// they were given. Start with the zero Jobs.
//
// Invariant: no more jobs are under way, or done and not handed on, than one more than there are
// processors; and Take is called by whoever calls Do or End, never beside it.
package inorder

import "runtime"

// Jobs are the jobs of one goroutine.
type Jobs[T any] struct {
	Take func(T) error // is handed what came of each job

	waiting []chan outcome[T]
	err     error
}

// outcome is what came of a job.
type outcome[T any] struct {
	result T
	err    error
}

// Most is how many jobs there are at most that have not been handed on.
func Most() int { return runtime.GOMAXPROCS(0) + 1 }

// Do begins a job. If there are as many as there may be, it first hands on what comes of the oldest.
// After an error nothing is begun any more.
func (j *Jobs[T]) Do(job func() (T, error)) error {
	for j.err == nil && len(j.waiting) >= Most() {
		j.first()
	}
	if j.err != nil {
		return j.err
	}
	ended := make(chan outcome[T], 1)
	j.waiting = append(j.waiting, ended)
	go func() {
		result, err := job()
		ended <- outcome[T]{result, err}
	}()
	return nil
}

// End hands on all that is left, and returns when no job is under way. The error is the first one, of
// a job or of Take, behind which nothing was handed on.
func (j *Jobs[T]) End() error {
	for len(j.waiting) > 0 {
		j.first()
	}
	return j.err
}

// first waits for the oldest job, and hands on what came of it.
func (j *Jobs[T]) first() {
	ended := <-j.waiting[0]
	j.waiting = j.waiting[1:]
	if j.err == nil {
		j.err = ended.err
	}
	if j.err == nil {
		j.err = j.Take(ended.result)
	}
}
