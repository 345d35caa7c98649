cpdef bint has_shape(object array, tuple shape) except -1

cpdef bint same_strides(object x, object y) except -1
