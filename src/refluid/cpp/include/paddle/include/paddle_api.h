#pragma once
#include "../../paddle_api.h"
