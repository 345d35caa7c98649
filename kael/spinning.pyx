"""Waiting for another thread without going to sleep, for a while: waking one up takes longer than a small call."""

# What the systems call by different names: verbatim, for Cython has no conditions on the system.
cdef extern from *:
    """
    #ifdef _WIN32
        #include <windows.h>
        #define give_way() ((void)SwitchToThread())
    #else
        #include <sched.h>
        #define give_way() ((void)sched_yield())
    #endif
    #ifdef __linux__
        #define this_processor() sched_getcpu()
        static void leave(int processor) {
            cpu_set_t allowed, others;
            if (sched_getcpu() != processor || sched_getaffinity(0, sizeof allowed, &allowed)) return;
            others = allowed;
            CPU_CLR(processor, &others);
            if (CPU_COUNT(&others) && !sched_setaffinity(0, sizeof others, &others))
                sched_setaffinity(0, sizeof allowed, &allowed);
        }
    #else
        #define this_processor() (-1)
        #define leave(processor) ((void)0)
    #endif
    """
    void give_way() nogil
    int this_processor() nogil
    void leave(int processor) nogil

cdef extern from "time.h" nogil:
    ctypedef long clock_t
    clock_t clock()
    const long CLOCKS_PER_SEC

cdef enum:
    LOOKS = 64  # between two questions to the system
    SETTLE = 2000  # about a microsecond

cdef double STEADY = 0.0003  # seconds of the process's time: who gives way gets the processor back in milliseconds


cdef class Count:
    """A number that one thread raises and others watch."""

    cdef volatile long counted
    cdef int processor

    def __cinit__(self):
        self.processor = -1

    @property
    def value(self):
        """The number."""
        return self.counted

    def add(self):
        """Raise it by one."""
        self.processor = this_processor()
        self.counted += 1

    def part_ways(self):
        """Leave the processor of the thread that raised it last, where the system lets a thread ask for another.

        A thread that is woken is often put where the one runs that woke it: then they take turns, and another is idle.
        """
        with nogil:
            leave(self.processor)

    def watch(self, long seen, double seconds):
        """Whether the number stops being `seen` within so many seconds of the process's time.

        Others that wait for this processor get it: at once where the number was raised last on the same one, else
        after the time in which the next of a row of calls comes. A change is answered about a microsecond late, when
        whoever made it has given up the interpreter's lock: who asks for it earlier is put to sleep.
        """
        cdef clock_t now, steady, end
        cdef int _look, here
        with nogil:
            now = steady = clock()
            end = now + <clock_t> (seconds * CLOCKS_PER_SEC)
            here = this_processor()
            if here < 0 or here != self.processor:
                steady += <clock_t> (STEADY * CLOCKS_PER_SEC)
            while self.counted == seen and now < end:
                if now >= steady:
                    give_way()
                for _look in range(LOOKS):
                    if self.counted != seen:
                        break
                now = clock()
            for _look in range(SETTLE):
                if self.counted == seen:
                    break
        return self.counted != seen
