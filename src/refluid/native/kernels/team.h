// Threads that share the items of a loop. They wait actively for a moment between loops, then they sleep.
//
// Nobody is waited for who has not taken an item: a loop of a few microseconds does not wait until somebody is awake.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <unistd.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

class Crew {
public:
    typedef void (*Body)(const void*, int64_t);

    // One for the process; never destroyed, since its threads end with the process. A forked process, where the threads
    // of the parent are missing, gets one of its own.
    static Crew& get() {
        static std::atomic<Crew*> current{nullptr};
        Crew* crew = current.load(std::memory_order_acquire);
        if (crew && crew->process_ == getpid()) return *crew;
        Crew* other = new Crew;
        if (current.compare_exchange_strong(crew, other)) return *other;
        delete other;
        return *crew;
    }

    std::mutex busy;  // held by the thread that gives out work

    void prepare(int64_t helpers, bool wake) {
        for (; started_ < helpers; started_++) std::thread([this, id = started_] { help(id); }).detach();
        allowed_.store(helpers, std::memory_order_relaxed);
        if (wake && asleep_.load(std::memory_order_seq_cst) > 0) {
            std::lock_guard<std::mutex> lock(sleep_);
            called_++;
            bell_.notify_all();
        }
    }

    // `in_runs`: whoever comes takes a run of items, as long as its share of those that are left. In every loop a thread
    // so gets about the same part of the images, which its own cache holds. Else items go one by one.
    void share(int64_t count, Body body, const void* context, bool in_runs) {
        loop_++;
        next_.store(loop_ << 32 | NO_ITEM, std::memory_order_release);  // so that nobody takes items of the last loop
        body_.store(body, std::memory_order_release);
        context_.store(context, std::memory_order_release);
        count_.store(count, std::memory_order_release);
        in_runs_.store(in_runs, std::memory_order_release);
        done_.store(0, std::memory_order_relaxed);
        next_.store(loop_ << 32, std::memory_order_release);
        take();
        while (done_.load(std::memory_order_acquire) < count) rest();
    }

private:
    static constexpr uint64_t NO_ITEM = 0xffffffff;
    static constexpr int PATIENCE = 20000;  // rests before a thread goes to sleep, about a millisecond

    alignas(64) std::atomic<uint64_t> next_{0};  // which loop it is, and its next item
    alignas(64) std::atomic<int64_t> done_{0};
    alignas(64) std::atomic<Body> body_{nullptr};
    std::atomic<const void*> context_{nullptr};
    std::atomic<int64_t> count_{0}, allowed_{0}, asleep_{0};
    std::atomic<bool> in_runs_{false};
    uint64_t loop_ = 0;
    int64_t started_ = 0;
    std::mutex sleep_;
    std::condition_variable bell_;
    uint64_t called_ = 0;
    pid_t process_ = getpid();

    static void rest() {
#if defined(__x86_64__)
        _mm_pause();
#endif
    }

    // Compute items until none is left; whether there was one.
    bool take() {
        bool any = false;
        uint64_t now = next_.load(std::memory_order_acquire);
        for (;;) {
            // `next_` changes before these do, so they are those of the item if it can be taken.
            Body body = body_.load(std::memory_order_acquire);
            const void* context = context_.load(std::memory_order_acquire);
            int64_t item = int64_t(now & NO_ITEM), left = count_.load(std::memory_order_acquire) - item;
            if (left <= 0) return any;
            int64_t threads = allowed_.load(std::memory_order_relaxed) + 1;
            int64_t share = in_runs_.load(std::memory_order_acquire) ? std::max<int64_t>(1, left / threads) : 1;
            if (!next_.compare_exchange_weak(now, now + share, std::memory_order_acq_rel, std::memory_order_acquire)) continue;
            for (int64_t end = item + share; item < end; item++) body(context, item);
            done_.fetch_add(share, std::memory_order_release);
            any = true;
            now = next_.load(std::memory_order_acquire);
        }
    }

    void help(int64_t id) {
        for (int idle = 0;;) {
            if (id < allowed_.load(std::memory_order_relaxed) && take()) {
                idle = 0;
            } else if (++idle < PATIENCE) {
                rest();
            } else {
                std::unique_lock<std::mutex> lock(sleep_);
                uint64_t before = called_;
                asleep_.fetch_add(1);
                bell_.wait(lock, [&] { return called_ != before; });
                asleep_.fetch_sub(1);
                idle = 0;
            }
        }
    }
};

// The crew for the time of a call. Where another thread has it, the caller works alone.
class Team {
public:
    Team(int64_t threads, bool wake) {
        if (threads > 1 && Crew::get().busy.try_lock()) {
            crew_ = &Crew::get();
            crew_->prepare(threads - 1, wake);
        }
    }
    ~Team() {
        if (crew_) crew_->busy.unlock();
    }
    Team(const Team&) = delete;

    template <class Work>
    void share(int64_t count, const Work& work, bool in_runs = false) {
        if (crew_ && count > 1) {
            auto body = [](const void* context, int64_t item) { (*static_cast<const Work*>(context))(item); };
            crew_->share(count, body, &work, in_runs);
        } else {
            for (int64_t item = 0; item < count; item++) work(item);
        }
    }

private:
    Crew* crew_ = nullptr;
};
