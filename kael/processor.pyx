"""Which x86-64 instruction sets the processor and the operating system support, asked of the processor itself."""

cdef extern from *:
    """
    #if defined(__x86_64__) || defined(_M_X64)
      #if defined(_MSC_VER) && !defined(__clang__)
        #include <immintrin.h>
        #include <intrin.h>
        static int kael_has(int leaf, int reg, int bit) {
            int r[4]; __cpuidex(r, leaf, 0); return (r[reg] >> bit) & 1;
        }
        static int kael_os_saves(unsigned mask) {
            return kael_has(1, 2, 27) && (_xgetbv(0) & mask) == mask;
        }
        static int kael_v3(void) {
            return kael_os_saves(6) && kael_has(7, 1, 5) && kael_has(1, 2, 12) && kael_has(7, 1, 3)
                && kael_has(7, 1, 8);
        }
        static int kael_v4(void) {
            return kael_v3() && kael_os_saves(0xe6) && kael_has(7, 1, 16) && kael_has(7, 1, 17)
                && kael_has(7, 1, 28) && kael_has(7, 1, 30) && kael_has(7, 1, 31);
        }
      #else
        static int kael_v3(void) {
            __builtin_cpu_init();
            return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")
                && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
        }
        static int kael_v4(void) {
            return kael_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")
                && __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq")
                && __builtin_cpu_supports("avx512vl");
        }
      #endif
    #else
      static int kael_v3(void) { return 0; }
      static int kael_v4(void) { return 0; }
    #endif
    """
    int kael_v3()
    int kael_v4()


def instruction_sets():
    """Names of the sets this processor has, best first: a part of ``v4``, ``v3``, ``baseline``."""
    found = ["baseline"]
    if kael_v3():
        found.insert(0, "v3")
    if kael_v4():
        found.insert(0, "v4")
    return tuple(found)
