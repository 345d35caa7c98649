cpdef object leave_out(object it)

cpdef void leave_out_record(object node, object inputs, object saved, object output) noexcept

cpdef void take_in(object it) noexcept

cpdef void look_at_graphs() noexcept
