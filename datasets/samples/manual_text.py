"""The prose of the manual, in the light markup that `manual` sets.

`# key | title` starts a chapter, `## key | title` a section, `* ` a list item, `1. ` a step, `! ` a
warning; `@name` places a table or drawing. `{key}` becomes a reference to a chapter or section.
"""

ABOUT = """
This manual describes the weather station Heron 300 with firmware 4.2 or later. It is written for
those who set the station up and for those who look after it. Chapters 1 to 4 lead from the choice
of a site to the first reading; the later chapters are for reference.

Steps that must be taken in order are numbered. A grey box with the word Warning names a danger to
people; please read it before you go on. Names of keys and menu items are written in capitals.

If something does not work, look up the code on the display in {codes} first. Most faults can be
cleared in a few minutes without tools.
"""

BODY = """
# intro | Introduction

The Heron 300 measures wind, rain, air temperature, humidity, air pressure and sunshine, keeps the
readings for more than a year and sends them to a computer or to the network. It runs on a small
solar panel and needs no mains supply.

## measures | What the station measures

Every sensor is read once in ten seconds. From these readings the station forms a record at the
end of each logging interval. A record holds the mean of temperature, humidity and pressure, the
mean and the strongest gust of the wind, and the sum of the rain.

@sensors

Values that cannot be right, such as a humidity of 130 %, are not stored. The record then holds a
gap, and the counter of rejected readings goes up by one ({records}).

## parts | Parts delivered

Please check that all parts in the table below are in the box. Report missing or damaged parts
within 14 days of delivery.

@parts

The mast is not part of the delivery. Any steel tube with an outer diameter of 42 to 50 mm and a
wall of at least 2.5 mm will do.

## safety | Safety

! Do not work on the mast when a thunderstorm is near. Stop at once when you hear thunder.

! A mast that falls can kill. Raise it with at least two people, and keep a distance of twice its
length from overhead power lines.

! The battery may burst when it is charged from the mains, opened or thrown into fire.

The station is not a safety device. Do not use its alarms as the only means to close roads, stop
cranes or give flood warnings.

# site | Choosing a site

A good site matters more than a good sensor. Take an hour to walk round the place before you dig.

## obstacles | Distance from obstacles

Wind and rain are disturbed far behind a house or a tree. The distance from the station to an
obstacle should be at least ten times the height of the obstacle for wind, and at least twice its
height for rain.

@site

If no such place exists, put the wind sensor on a separate mast or on a roof, at least 3 m above
the ridge, and enter the height of the sensor in the settings ({settings}).

* Keep away from walls that face south: they heat the air around them.
* Avoid hollows in which cold air gathers at night.
* Do not choose a place above asphalt or gravel; short grass is best.
* Leave room to lower the mast for maintenance.

## ground | Ground and foundation

The mast stands on a foundation of concrete, 40 cm by 40 cm and 60 cm deep. In sandy soil make it
80 cm deep. Let the concrete harden for seven days before you raise the mast. The foot plate is held
by four bolts M12.

On rock, drill four holes of 14 mm and use resin anchors. On a flat roof, use the ballast frame
that is sold as an accessory, order number H3-218; it takes eight paving stones of 15 kg each.

## lightning | Lightning

The mast must be earthed. Drive a rod of galvanised steel at least 1.5 m deep into the ground and
join it to the foot plate with copper wire of 16 square millimetres. The resistance to earth should
be below 10 ohms.

The data cable passes through the surge arrester in the base unit. After a strike nearby the
arrester must be replaced even when the station still works. It has done its duty when the small
window shows red instead of green.

# install | Installation

Two people need about three hours, not counting the foundation.

## tools | Tools

@tools

## mast | Raising the mast

1. Bolt the hinge to the foot plate, with the pin towards the side on which the mast will be
lowered.
2. Slide the mast into the hinge and fasten it with both clamps. Tighten the screws with 12 Nm.
3. Mount the cross arm 20 cm below the top. It must point north.
4. Lead the cables of the sensors through the mast before you raise it.
5. Raise the mast, put in the second pin and secure it with the split pin.
6. Check with a spirit level from two sides that the mast stands upright. The error must not exceed
one degree, or the rain gauge will read too low.

! Never let go of the mast before both pins are in.

## wind | Wind sensor

The wind sensor has no moving parts. It measures the time that sound takes between four small
towers, the transducers. Do not touch their faces.

1. Put the sensor on the north end of the cross arm.
2. Turn it until the red mark points to geographic north. A compass shows magnetic north: correct it
by the declination of your region.
3. Tighten the screw by hand, then a quarter of a turn with the hexagon key.

If the sensor cannot be turned to north, note the angle and enter it as WIND OFFSET ({settings}).

## rain | Rain gauge

The rain gauge holds a bucket with two halves that tips over each time 0.2 mm of rain have fallen.
It must stand level. Mount it on its own post, with the rim 1 m above the ground, and remove the
strip of foam that holds the bucket during transport.

Pour a glass of water slowly into the funnel. You should hear the bucket tip, and the display must
count up by 0.2 mm each time.

## wiring | Wiring

Open the base unit with four screws and lead the cables through the glands at the bottom. The
terminals are marked with numbers. Strip the wires by 6 mm.

@terminals

@wiring

Cables may be extended up to 60 m for the wind sensor and 100 m for the rain gauge. Use a shielded
cable and connect its shield to terminal 12 only.

! Connect the battery last. A wire that touches the wrong terminal can destroy the base unit.

## solar | Solar panel

Mount the panel below the cross arm, facing south in the northern half of the world. The best tilt
is your latitude plus 15 degrees, which favours the winter sun. One hour of full sun covers the
need of one and a half days.

# start | First start

## power | Switching on

1. Set switch S1 in the base unit to ON. The display shows HERON 300 and the number of the firmware.
2. Wait for the self-test, which takes 40 seconds. A tick appears beside each sensor that answers.
3. If a cross appears instead, note the code below it and turn to {codes}.
4. Close the lid. Tighten the four screws crosswise, so that the seal lies flat.

The first record is stored at the end of the first full logging interval. With the standard setting
this is after ten to twenty minutes.

## clock | Time and place

The station keeps its clock in coordinated universal time. Press MENU, choose PLACE, and enter
latitude, longitude and the height above the sea. The height is needed to reduce the pressure to sea
level; an error of 8 m changes the result by 1 hPa.

When the network is connected, the clock is set every night at 02:15. Otherwise compare it twice a
year: it may be wrong by up to two minutes.

## network | Connecting to the network

The base unit has a socket for a network cable and a radio for wireless networks at 2.4 GHz. The
cable takes precedence when both are set up.

1. Press MENU and choose NETWORK, then SEARCH.
2. Choose your network with the arrow keys and press ENTER.
3. Enter the password. Capital letters are reached by pressing the key twice.
4. Wait for the word CONNECTED. The address of the station appears below it.

Open this address in a browser. The user name is heron, and the first password is printed on the
label inside the lid. You are asked to change it when you log in for the first time.

## reset | Resetting to factory settings

Hold MENU and the left arrow for eight seconds until the display flashes. All settings return to
their standard values. Stored records are kept; to delete them as well, go on holding both keys for
another eight seconds.

# daily | Daily operation

## display | The display

The display is dark most of the time to save power. Press any key to light it for 30 seconds. The
first page shows the present readings, the second the extremes of the day, the third the state of
the
battery, the memory and the network.

@display

@keys

The symbol of the battery has four bars. When only one is left, the station stops the radio and goes
on measuring. Below 3.1 V it stores a last record and switches off; it starts again by itself at
3.4 V.

## records | Records

The memory holds 57,600 records. With an interval of ten minutes this is enough for 400 days. After
that the oldest records are overwritten.

@memory

Press MENU and choose RECORDS to look through them. Each record shows the time at its end, the
readings, and the number of readings that were rejected. If more than a tenth were rejected the
record is marked with a star.

## alarms | Alarms

Up to eight alarms can be set. An alarm has a quantity, a limit and a delay. It goes off when the
limit has been passed for the whole of the delay, and it ends when the value has come back by the
hysteresis.

1. Press MENU and choose ALARMS, then a free place from 1 to 8.
2. Choose the quantity, the direction (above or below) and the limit.
3. Set the delay. For gusts it should be 0, for temperatures at least five minutes.
4. Choose what happens: SIGNAL, MESSAGE or RELAY.

The relay can switch up to 2 A at 30 V. A frost alarm, for example, is a temperature below 1.0
degrees for ten minutes.

# settings | Settings

All settings can be changed with the keys or in the browser. Changes take effect at once, except for
the logging interval, which changes at the next full hour. The settings are protected by a code of
four digits; it is 0300 on delivery.

@settings

# data | Data and commands

## files | Files

Records are exported as text, a line each, with fields separated by semicolons. The first line
names the fields. Decimal points are used whatever the language of the display. A gap is an empty
field.

@sample

A file holds the records of one day and is named after it, for instance heron-20240705.txt. A day
with an interval of ten minutes has 144 records and a size of about 11 kB.

## serial | Serial port

The serial port works at 19,200 baud with eight data bits, no parity and one stop bit. Commands
end with a carriage return. The station answers within half a second, and with ERR and a number when
it did not understand.

@commands

# maintenance | Maintenance

## schedule | Schedule

@schedule

## cleaning | Cleaning

Use clear water and a soft cloth. Solvents make the housing brittle. The transducers of the wind
sensor are cleaned with a soft brush only; ice on them melts by itself, so never scrape it off.

Leaves and bird droppings in the rain gauge are the most common cause of missing rain. Lift off the
funnel, rinse it, and wipe the bucket with a damp cloth. Spiders like the radiation shield: take it
apart by its three wing nuts and rinse the plates.

## battery | Replacing the battery

The battery is a lithium iron cell of type LF-14 with 3.2 V and 14 Ah. It lasts about four years; in
regions with long frost three. Order number H3-114.

1. Set switch S1 to OFF and wait until the display is dark.
2. Pull out the plug of the solar panel, then that of the battery.
3. Loosen the strap and lift the battery out.
4. Put in the new battery with the arrow upwards and fasten the strap.
5. Connect the battery, then the solar panel, and set S1 to ON.
6. Press MENU, choose SERVICE and NEW BATTERY, so that the counter of the charge starts again.

Records and settings are kept for at least ten years without a battery. Bring the old battery to a
collecting point.

## calibration | Calibration

The sensor for temperature and humidity is a module that can be exchanged. Replace it every two
years, or send it in for calibration. The pressure sensor can be adjusted by hand: compare it with a
reference over three days and enter the mean difference as PRESSURE OFFSET.

To check the rain gauge, let 500 ml of water drip into the funnel over at least 30 minutes. With
the collecting area of 200 square centimetres this is 25.0 mm of rain. The station should show
between 24.2 and 25.8 mm. If not, enter the ratio as RAIN FACTOR.

# trouble | Troubleshooting

## firstaid | First aid

* The display stays dark: check switch S1 and the plug of the battery. Charge it in the sun for a
day.
* The wind is always zero: the cable is extended too far or wires 4 and 5 are exchanged ({wiring}).
* It rains but nothing is counted: the foam strip is still in place ({rain}) or the funnel is
blocked.
* The temperature is too high on sunny days without wind: the shield is dirty or badly placed.
* The station is not found in the network: see {network}.

## codes | Codes

A code is shown until its cause is gone. Codes from E01 to E19 concern the sensors, from E20 to E39
power and memory, and from E40 the network.

@codes

# accessories | Accessories

Accessories are connected to the free terminals 13 to 20 of the extension board. Switch the station
off before you open the base unit.

@accessories

## heater | Heating of the rain gauge

The heating melts snow, so that it is counted like rain. It needs 24 V and 40 W and therefore a
supply of its own; the solar panel is not enough. Lay its cable apart from the data cables. Set
HEATER to AUTO ({settings}). In snow the gauge reads up to a tenth too little, because part of the
flakes is blown over the rim.

## modem | Radio modem

Where there is no network, the modem sends the records through the mobile network. Put the card
of your provider into the holder with its contacts down, and enter its number under NETWORK, MODEM.
With a send interval of 30 minutes about 4 MB are used in a month.

1. Screw the aerial to the cross arm, at least 50 cm from the wind sensor.
2. Lead its cable through the second gland from the left.
3. Plug the modem into the extension board. The red lamp lights for ten seconds.
4. When the lamp is green, the modem has found the network.

## soil | Soil probes

Up to four probes measure temperature and moisture of the soil. The usual depths are 5, 10, 20 and
50 cm. Dig a pit, push the probes into its undisturbed north wall, and fill it up in the order in
which the layers came out. The readings are of use after about three weeks, when the soil has
settled.

## ballast | Ballast frame

The ballast frame carries the mast on a flat roof without drilling. It may be used for masts of up
to 3 m and wind speeds of up to 42 m/s. Ask an engineer whether the roof bears 190 kg on one
square metre. Put the rubber mat that is delivered with it below the frame.
"""

APPENDICES = """
# technical | Technical data

@technical

# conversion | Conversion tables

## beaufort | Wind force

@beaufort

## fahrenheit | Temperature

@fahrenheit

## dewpoint | Dew point

The table gives the dew point in degrees Celsius for a temperature (rows) and a relative humidity
(columns).

@dewpoint

# service | Warranty and service

The maker grants a warranty of 36 months from the date of delivery. It covers faults of material and
workmanship. It does not cover the battery, damage by lightning, and damage caused by opening the
sensors.

Before you send the station in, please ask for a service number. Write it on the outside of the
parcel. Remove the battery: it must not be sent by air.

@service

# log | Service log

Please enter every inspection. The log is needed for claims under the warranty.

@log
"""

GLOSSARY = [
    ("Cross arm", "The bar at the top of the mast that carries the wind sensor."),
    ("Declination", "The angle between geographic and magnetic north."),
    ("Dew point", "The temperature at which the moisture of the air begins to condense."),
    ("Firmware", "The program inside the station."),
    ("Gust", "The highest mean wind speed over three seconds within a logging interval."),
    ("hPa", "Hectopascal, the unit of air pressure; 1 hPa is 1 millibar."),
    ("Hysteresis", "How far a value must come back before an alarm ends."),
    ("Logging interval", "The time that one record covers."),
    ("Radiation shield", "The white plates that keep sun and rain from the temperature sensor."),
    ("Record", "What is stored at the end of a logging interval."),
    ("Surge arrester", "A part that leads the current of a lightning strike to earth."),
    ("Transducer", "A part that makes and receives sound; the wind sensor has four."),
    ("UTC", "Coordinated universal time, without daylight saving."),
]
# Words of the index and what to look for in the text.
INDEX = {
    "alarm": "alarm",
    "base unit": "base unit",
    "battery": "battery",
    "calibration": "calibration",
    "clock": "clock",
    "cross arm": "cross arm",
    "declination": "declination",
    "earthing": "earth",
    "factory settings": "factory settings",
    "firmware": "firmware",
    "foundation": "foundation",
    "funnel": "funnel",
    "gust": "gust",
    "humidity": "humidity",
    "logging interval": "logging interval",
    "memory": "memory",
    "network": "network",
    "password": "password",
    "pressure": "pressure",
    "radiation shield": "shield",
    "rain gauge": "rain gauge",
    "records": "records",
    "relay": "relay",
    "serial port": "serial port",
    "solar panel": "solar panel",
    "surge arrester": "arrester",
    "transducers": "transducer",
    "warranty": "warranty",
    "wind sensor": "wind sensor",
}
