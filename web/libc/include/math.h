/*
 * math.h - as in C, as far as it is used: what the machine can do is an
 * instruction, the rest is asked of the host.
 */
#ifndef WEB_MATH_H
#define WEB_MATH_H

#define INFINITY    __builtin_inff()
#define NAN         __builtin_nanf("")
#define HUGE_VAL    __builtin_inf()
#define isnan(x)    __builtin_isnan(x)
#define isinf(x)    __builtin_isinf(x)
#define isfinite(x) __builtin_isfinite(x)

double ceil(double x);
double exp(double x);
double fabs(double x);
double floor(double x);
double fmax(double x, double y);
double fmin(double x, double y);
double hypot(double x, double y);
double ldexp(double x, int exponent);
long long llround(double x);
double log(double x);
double log10(double x);
double log2(double x);
double pow(double x, double y);
double round(double x);
double sqrt(double x);
double trunc(double x);

#endif
