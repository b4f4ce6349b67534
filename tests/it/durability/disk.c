/*
 * A disk that is watched, filled and broken: put between the program and libc by LD_PRELOAD.
 *
 * Of every file below $DISK_DIRECTORY it writes down, in the file log of $DISK_CONTROL, what the program did: each
 * record is a header of four 64-bit numbers, the path below the directory, and the bytes that were written.
 *
 * The order of the records is the order of the operations: one lock is held over an operation and its record. So a
 * record of a sync stands behind all that the sync covered, and it stands there before the program hears that the sync
 * is done. Whatever the program says because of it, it says later than that.
 *
 * In $DISK_CONTROL, a file named full makes every write and every new file fail with ENOSPC; a file named eio-NAME
 * makes the next sync of NAME fail with EIO, once.
 *
 * A call that changes files and is not here leaves the log incomplete. The test that plays the log back in full and
 * compares it with the directory would fail then.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* The function of libc that the one of this name here stands before. */
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

enum kind { CREATE, MAKE_DIRECTORY, WRITE, TRUNCATE, UNLINK, SYNC };

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
static const char *directory = "";
static const char *control = "";
static int log_file = -1;

__attribute__((constructor)) static void begin(void)
{
    char path[PATH_MAX];
    directory = getenv("DISK_DIRECTORY");
    control = getenv("DISK_CONTROL");
    if (!directory || !control)
        abort();
    snprintf(path, sizeof path, "%s/log", control);
    log_file = REAL(open)(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (log_file < 0)
        abort();
}

/* The path below the directory, which itself is "". Nothing where the path is not below it. */
static const char *below(const char *path)
{
    size_t length = strlen(directory);
    if (length == 0 || strncmp(path, directory, length) != 0)
        return NULL;
    if (path[length] == '/')
        return path + length + 1;
    return path[length] == '\0' ? path + length : NULL;
}

/* The same for an open file; path has PATH_MAX bytes. */
static const char *below_of(int file, char *path)
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    if (length < 0)
        return NULL;
    path[length] = '\0';
    return below(path);
}

static void record(enum kind kind, const char *path, uint64_t offset, const void *bytes, uint64_t length)
{
    uint64_t header[4] = {kind, offset, strlen(path), length};
    struct iovec parts[3] = {{header, sizeof header}, {(void *)path, header[2]}, {(void *)bytes, length}};
    if (writev(log_file, parts, 3) != (ssize_t)(sizeof header + header[2] + length))
        abort();
}

static int is_full(void)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/full", control);
    return access(path, F_OK) == 0;
}

static int is_broken(const char *file)
{
    char path[PATH_MAX];
    const char *slash = strrchr(file, '/');
    snprintf(path, sizeof path, "%s/eio-%s", control, slash ? slash + 1 : file);
    return REAL(unlink)(path) == 0;
}

static long refuse(int reason)
{
    errno = reason;
    return -1;
}

typedef int opener(const char *path, int flags, ...);

static int watched_open(opener *really, const char *path, int flags, mode_t mode)
{
    const char *file = below(path);
    if (!file)
        return really(path, flags, mode);
    pthread_mutex_lock(&one_at_a_time);
    int is_new = (flags & O_CREAT) && access(path, F_OK) != 0;
    int opened = is_new && is_full() ? refuse(ENOSPC) : really(path, flags, mode);
    if (opened >= 0 && is_new)
        record(CREATE, file, 0, NULL, 0);
    else if (opened >= 0 && (flags & O_TRUNC))
        record(TRUNCATE, file, 0, NULL, 0);
    pthread_mutex_unlock(&one_at_a_time);
    return opened;
}

static ssize_t watched_write(int file, const void *bytes, size_t length, const off_t *offset)
{
    char path[PATH_MAX];
    const char *name = below_of(file, path);
    if (name)
        pthread_mutex_lock(&one_at_a_time);
    ssize_t written;
    if (name && is_full())
        written = refuse(ENOSPC);
    else if (offset)
        written = REAL(pwrite)(file, bytes, length, *offset);
    else
        written = REAL(write)(file, bytes, length);
    if (name && written > 0)
        record(WRITE, name, offset ? *offset : lseek(file, 0, SEEK_CUR) - written, bytes, written);
    if (name)
        pthread_mutex_unlock(&one_at_a_time);
    return written;
}

static int watched_truncate(int file, off_t length)
{
    char path[PATH_MAX];
    const char *name = below_of(file, path);
    if (!name)
        return REAL(ftruncate)(file, length);
    pthread_mutex_lock(&one_at_a_time);
    int done = REAL(ftruncate)(file, length);
    if (done == 0)
        record(TRUNCATE, name, length, NULL, 0);
    pthread_mutex_unlock(&one_at_a_time);
    return done;
}

static int watched_sync(int (*really)(int), int file)
{
    char path[PATH_MAX];
    const char *name = below_of(file, path);
    if (!name)
        return really(file);
    pthread_mutex_lock(&one_at_a_time);
    int done = is_broken(name) ? refuse(EIO) : really(file);
    if (done == 0)
        record(SYNC, name, 0, NULL, 0);
    pthread_mutex_unlock(&one_at_a_time);
    return done;
}

static mode_t mode_of(int flags, va_list rest)
{
    return flags & O_CREAT ? va_arg(rest, mode_t) : 0;
}

int open(const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    mode_t mode = mode_of(flags, rest);
    va_end(rest);
    return watched_open(REAL(open), path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    mode_t mode = mode_of(flags, rest);
    va_end(rest);
    return watched_open(REAL(open64), path, flags, mode);
}

ssize_t write(int file, const void *bytes, size_t length) { return watched_write(file, bytes, length, NULL); }

ssize_t pwrite(int file, const void *bytes, size_t length, off_t offset)
{
    return watched_write(file, bytes, length, &offset);
}

ssize_t pwrite64(int file, const void *bytes, size_t length, off64_t offset)
{
    return watched_write(file, bytes, length, &offset);
}

int ftruncate(int file, off_t length) { return watched_truncate(file, length); }

int ftruncate64(int file, off64_t length) { return watched_truncate(file, length); }

int fsync(int file) { return watched_sync(REAL(fsync), file); }

int fdatasync(int file) { return watched_sync(REAL(fdatasync), file); }

int mkdir(const char *path, mode_t mode)
{
    const char *name = below(path);
    if (!name)
        return REAL(mkdir)(path, mode);
    pthread_mutex_lock(&one_at_a_time);
    int done = REAL(mkdir)(path, mode);
    if (done == 0)
        record(MAKE_DIRECTORY, name, 0, NULL, 0);
    pthread_mutex_unlock(&one_at_a_time);
    return done;
}

int unlink(const char *path)
{
    const char *name = below(path);
    if (!name)
        return REAL(unlink)(path);
    pthread_mutex_lock(&one_at_a_time);
    int done = REAL(unlink)(path);
    if (done == 0)
        record(UNLINK, name, 0, NULL, 0);
    pthread_mutex_unlock(&one_at_a_time);
    return done;
}
