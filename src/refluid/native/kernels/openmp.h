// The threads with which torch computes. A kernel between torch's operators uses them and not those of team.h: threads of
// OpenMP stay awake for some milliseconds after a loop, and would take the processors away from other threads.
//
// The library is found in the process, because a kernel that linked to one might get another than torch's, with other
// threads. libgomp and LLVM's library have the same entry.
#pragma once

#include <dlfcn.h>

#include "team.h"

namespace openmp {

struct Library {
    typedef void (*Parallel)(void (*)(void*), void*, unsigned, unsigned);
    typedef int (*Number)();

    Parallel parallel = reinterpret_cast<Parallel>(dlsym(RTLD_DEFAULT, "GOMP_parallel"));
    Number index = reinterpret_cast<Number>(dlsym(RTLD_DEFAULT, "omp_get_thread_num"));
    Number count = reinterpret_cast<Number>(dlsym(RTLD_DEFAULT, "omp_get_num_threads"));
    pid_t process = getpid();

    // A forked process has none of the threads of its parent, and libgomp waits for them forever.
    bool usable() const { return parallel && index && count && process == getpid(); }
};

inline const Library library;

// Call `work` with every item, those of a thread one after the other.
template <class Work>
void share(int64_t items, const Work& work) {
    if (items < 2 || !library.usable()) return Team(items, true).share(items, work);
    struct Context {
        int64_t items;
        const Work& work;
    } context{items, work};
    auto body = [](void* from) {
        const Context& given = *static_cast<const Context*>(from);
        for (int64_t item = library.index(); item < given.items; item += library.count()) given.work(item);
    };
    library.parallel(body, &context, unsigned(items), 0);
}

}  // namespace openmp
