/*
 * format.c - printf(): flags, width, precision, and the conversions
 * d i u x X o c s p f F e E g G %.  Not hexadecimal doubles, not long doubles,
 * not %n.
 */
#include "web/libc/host.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One conversion. */
struct wish {
    bool left, zero, plus, blank, other;
    int width, precision; /* precision below 0: none was given */
    char length;          /* 'H' for hh, 'L' for ll */
    char what;
};

static void put(struct web_sink *sink, const char *bytes, size_t size)
{
    sink->put(sink, bytes, size);
    sink->size += size;
}

static void pad(struct web_sink *sink, char with, int count)
{
    char some[32];

    memset(some, with, sizeof some);
    for (; count > 0; count -= (int)sizeof some)
        put(sink, some, count < (int)sizeof some ? (size_t)count : sizeof some);
}

/* Sign or prefix, then zeros, then the rest, as wide as wished. */
static void put_parts(struct web_sink *sink, const struct wish *w,
                      const char *sign, int zeros, const char *rest,
                      size_t size)
{
    int used = (int)strlen(sign) + zeros + (int)size;

    if (!w->left && !w->zero)
        pad(sink, ' ', w->width - used);
    put(sink, sign, strlen(sign));
    if (!w->left && w->zero)
        pad(sink, '0', w->width - used);
    pad(sink, '0', zeros);
    put(sink, rest, size);
    if (w->left)
        pad(sink, ' ', w->width - used);
}

static const char *sign_of(const struct wish *w, bool minus)
{
    return minus ? "-" : w->plus ? "+" : w->blank ? " " : "";
}

/* ---- Whole numbers ------------------------------------------------------- */

static uint64_t take_unsigned(const struct wish *w, va_list *a)
{
    switch (w->length) {
    case 'H':
        return (unsigned char)va_arg(*a, unsigned);
    case 'h':
        return (unsigned short)va_arg(*a, unsigned);
    case 'l':
        return va_arg(*a, unsigned long);
    case 'L':
    case 'j':
        return va_arg(*a, unsigned long long);
    case 'z':
    case 't':
        return va_arg(*a, size_t);
    default:
        return va_arg(*a, unsigned);
    }
}

static int64_t take_signed(const struct wish *w, va_list *a)
{
    switch (w->length) {
    case 'H':
        return (signed char)va_arg(*a, int);
    case 'h':
        return (short)va_arg(*a, int);
    case 'l':
        return va_arg(*a, long);
    case 'L':
    case 'j':
        return va_arg(*a, long long);
    case 'z':
    case 't':
        return va_arg(*a, ptrdiff_t);
    default:
        return va_arg(*a, int);
    }
}

static void put_whole(struct web_sink *sink, struct wish w, const char *sign,
                      uint64_t value)
{
    char text[24], *first = text + sizeof text;
    unsigned base = w.what == 'o'                    ? 8
                    : w.what == 'x' || w.what == 'X' ? 16
                                                     : 10;
    const char *digits =
        w.what == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
    int size, zeros;

    if (w.other && value && base == 16)
        sign = w.what == 'x' ? "0x" : "0X";
    for (uint64_t rest = value; rest; rest /= base)
        *--first = digits[rest % base];
    size = (int)(text + sizeof text - first);
    if (w.precision >= 0)
        w.zero = false;
    else
        w.precision = 1;
    zeros = w.precision > size ? w.precision - size : 0;
    if (w.other && base == 8 && !zeros)
        zeros = 1;
    put_parts(sink, &w, sign, zeros, first, (size_t)size);
}

/* ---- Numbers with a point ------------------------------------------------ */

/* Text of a number: digits of the decimal, zeros beyond its ends. */
struct text {
    char bytes[WEB_DIGITS + 1100];
    size_t size;
};

static char digit_at(const struct web_decimal *d, int32_t place)
{
    int32_t i = d->point - 1 - place;

    if (i < 0 || i >= (int32_t)d->count)
        return '0';
    return "0123456789"[d->digit[i]];
}

static void add_behind(struct text *t, const struct web_decimal *d,
                       int32_t place, int count, bool point)
{
    if (count > 0 || point)
        t->bytes[t->size++] = '.';
    for (; count > 0; count--, place--)
        t->bytes[t->size++] = digit_at(d, place);
}

/* 123.450 */
static void write_plain(struct text *t, const struct web_decimal *d, int behind,
                        bool point)
{
    for (int32_t place = d->count && d->point > 0 ? d->point - 1 : 0;
         place >= 0; place--)
        t->bytes[t->size++] = digit_at(d, place);
    add_behind(t, d, -1, behind, point);
}

/* 1.23450e+02 */
static void write_power(struct text *t, const struct web_decimal *d, int behind,
                        bool point, char letter)
{
    int32_t power = d->count ? d->point - 1 : 0;

    t->bytes[t->size++] = digit_at(d, power);
    add_behind(t, d, power - 1, behind, point);
    t->size +=
        (size_t)snprintf(t->bytes + t->size, 16, "%c%c%02d", letter,
                         power < 0 ? '-' : '+', power < 0 ? -power : power);
}

/* As many digits behind the point as are not zeros at the end. */
static int needed(const struct web_decimal *d, int32_t first, int behind)
{
    int32_t last = d->point - (int32_t)d->count; /* place of the last digit */
    int most = (int)(first - last);

    if (!d->count || most < 0)
        return 0;
    return behind < most ? behind : most;
}

static void write_general(struct text *t, struct web_decimal *d,
                          const struct wish *w, int precision)
{
    int32_t power;
    int behind;

    if (precision == 0)
        precision = 1;
    if (d->count)
        web_decimal_round(d, precision - d->point);
    power = d->count ? d->point - 1 : 0;
    if (power < -4 || power >= precision) {
        behind = precision - 1;
        write_power(t, d, w->other ? behind : needed(d, power, behind),
                    w->other, w->what == 'G' ? 'E' : 'e');
    } else {
        behind = precision - 1 - power;
        write_plain(t, d, w->other ? behind : needed(d, 0, behind), w->other);
    }
}

static void put_double(struct web_sink *sink, struct wish w, double value)
{
    static struct web_decimal d;
    static struct text t;
    int precision = w.precision < 0 ? 6 : w.precision;
    bool upper = isupper(w.what);
    uint64_t bits, m;
    int e;

    memcpy(&bits, &value, sizeof bits);
    m = bits & ((UINT64_C(1) << 52) - 1);
    e = (int)(bits >> 52 & 0x7ff);
    if (e == 0x7ff) {
        w.zero = false;
        put_parts(sink, &w, sign_of(&w, bits >> 63), 0,
                  m ? (upper ? "NAN" : "nan") : (upper ? "INF" : "inf"), 3);
        return;
    }
    if (e)
        m |= UINT64_C(1) << 52;
    web_decimal_set(&d, m, (e ? e : 1) - 1075);
    t.size = 0;
    if (precision > 1074)
        precision = 1074;
    switch (tolower(w.what)) {
    case 'f':
        web_decimal_round(&d, precision);
        write_plain(&t, &d, precision, w.other);
        break;
    case 'e':
        if (d.count)
            web_decimal_round(&d, precision + 1 - d.point);
        write_power(&t, &d, precision, w.other, upper ? 'E' : 'e');
        break;
    default:
        write_general(&t, &d, &w, precision);
    }
    put_parts(sink, &w, sign_of(&w, bits >> 63), 0, t.bytes, t.size);
}

/* ---- All of them --------------------------------------------------------- */

static void convert(struct web_sink *sink, struct wish *w, va_list *a)
{
    const char *text;
    char letter;
    int64_t value;

    switch (w->what) {
    case 'd':
    case 'i':
        value = take_signed(w, a);
        put_whole(sink, *w, sign_of(w, value < 0),
                  value < 0 ? -(uint64_t)value : (uint64_t)value);
        break;
    case 'u':
    case 'x':
    case 'X':
    case 'o':
        put_whole(sink, *w, "", take_unsigned(w, a));
        break;
    case 'c':
        letter = (char)va_arg(*a, int);
        w->zero = false;
        put_parts(sink, w, "", 0, &letter, 1);
        break;
    case 's':
        text = va_arg(*a, const char *);
        if (!text)
            text = "(null)";
        w->zero = false;
        put_parts(sink, w, "", 0, text,
                  w->precision < 0 ? strlen(text)
                                   : strnlen(text, (size_t)w->precision));
        break;
    case 'p':
        w->what = 'x';
        w->other = true;
        put_whole(sink, *w, "", (uintptr_t)va_arg(*a, void *));
        break;
    default:
        put_double(sink, *w, va_arg(*a, double));
    }
}

static int read_number(const char **at, va_list *a)
{
    int number = 0;

    if (**at == '*') {
        ++*at;
        return va_arg(*a, int);
    }
    while (isdigit(**at))
        number = number * 10 + (*(*at)++ - '0');
    return number;
}

static const char *read_wish(struct wish *w, const char *at, va_list *a)
{
    memset(w, 0, sizeof *w);
    for (;; at++) {
        if (*at == '-')
            w->left = true;
        else if (*at == '0')
            w->zero = true;
        else if (*at == '+')
            w->plus = true;
        else if (*at == ' ')
            w->blank = true;
        else if (*at == '#')
            w->other = true;
        else
            break;
    }
    w->width = read_number(&at, a);
    if (w->width < 0) {
        w->left = true;
        w->width = -w->width;
    }
    w->precision = -1;
    if (*at == '.') {
        at++;
        w->precision = read_number(&at, a);
    }
    if (*at && strchr("hlzjt", *at)) {
        w->length = *at++;
        if (*at == w->length && (*at == 'h' || *at == 'l'))
            w->length = *at++ == 'h' ? 'H' : 'L';
    }
    w->what = *at;
    return *at ? at + 1 : at;
}

void web_format(struct web_sink *sink, const char *format, va_list a)
{
    va_list rest;

    va_copy(rest, a);
    while (*format) {
        size_t plain = strcspn(format, "%");
        struct wish w;

        put(sink, format, plain);
        format += plain;
        if (!*format)
            break;
        if (format[1] == '%') {
            put(sink, "%", 1);
            format += 2;
            continue;
        }
        format = read_wish(&w, format + 1, &rest);
        if (w.what)
            convert(sink, &w, &rest);
    }
    va_end(rest);
}

/* ---- Into memory --------------------------------------------------------- */

struct text_sink {
    struct web_sink sink;
    char *text;
    size_t room;
};

static void put_text(struct web_sink *sink, const char *bytes, size_t size)
{
    struct text_sink *t = (struct text_sink *)(void *)sink;
    size_t left = t->room > sink->size ? t->room - sink->size : 0;

    memcpy(t->text + sink->size, bytes, size < left ? size : left);
}

int vsnprintf(char *text, size_t size, const char *format, va_list a)
{
    struct text_sink t = {{put_text, 0}, text, size ? size - 1 : 0};

    web_format(&t.sink, format, a);
    if (size)
        text[t.sink.size < size ? t.sink.size : size - 1] = '\0';
    return (int)t.sink.size;
}

int snprintf(char *text, size_t size, const char *format, ...)
{
    va_list a;
    int length;

    va_start(a, format);
    length = vsnprintf(text, size, format, a);
    va_end(a);
    return length;
}

int asprintf(char **text, const char *format, ...)
{
    va_list a;
    int length;

    va_start(a, format);
    length = vsnprintf(NULL, 0, format, a);
    va_end(a);
    *text = malloc((size_t)length + 1);
    if (!*text)
        return -1;
    va_start(a, format);
    length = vsnprintf(*text, (size_t)length + 1, format, a);
    va_end(a);
    return length;
}
