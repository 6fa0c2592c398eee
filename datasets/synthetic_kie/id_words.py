"""What is printed on identity documents beside their values, in many languages."""
# ruff: noqa: E501 (lists of words)

from __future__ import annotations

from typing import NamedTuple

from docpipe.datasets.synthetic_kie.vocabulary import Chooser

# Languages: surname; given names; sex; nationality; date of birth; place of birth; document number;
# personal number; date of issue; date of expiry; authority; address; height; signature.
_FIELDS = (
    *("surname", "given_names", "sex", "nationality", "birth_date", "birth_place"),
    *("document_number", "personal_number", "issue_date", "expiry_date", "authority", "address"),
    *("height", "signature"),
)
_LABELS = """
en: Surname,Last name,Family name,Name,SURNAME; Given names,Given name(s),First name,Forenames,Other names,First names; Sex,Gender,SEX; Nationality,Citizenship; Date of birth,Birth date,Born,DOB,Date of Birth; Place of birth,Birthplace,Place of Birth; Document No.,Passport No.,ID No.,Card number,Licence No.,Document number,Passport Number,Identity card number,No.,DL; Personal No.,Personal number,National ID,Identity number,Personal code,ID number; Date of issue,Issued,Issue date,ISS,Issued on; Date of expiry,Expires,Expiry date,Valid until,EXP,Expiration date; Authority,Issuing authority,Issued by,Place of issue; Address,Residence,Permanent address,Home address; Height; Signature,Holder's signature,Signature of bearer
de: Name,Familienname,Nachname; Vornamen,Vorname; Geschlecht; Staatsangehörigkeit,Nationalität; Geburtsdatum,Geburtstag,Tag der Geburt; Geburtsort; Ausweisnummer,Pass-Nr.,Dokumentennummer,Nr.; Persönliche Nummer,Personenkennzahl,AHV-Nr.; Ausstellungsdatum,Ausgestellt am,Datum; Gültig bis,Ablaufdatum; Behörde,Ausstellende Behörde,Ausstellungsbehörde; Anschrift,Wohnort,Adresse; Größe; Unterschrift
fr: Nom,NOM,Nom de famille; Prénoms,Prénom(s),Prénom; Sexe; Nationalité; Date de naissance,Né(e) le; Lieu de naissance,à; N° du document,Passeport n°,N° de carte,No de document; Numéro personnel,N° d'identité; Date de délivrance,Délivré le,Date d'émission; Date d'expiration,Valable jusqu'au,Expire le; Autorité,Délivré par,Autorité de délivrance; Adresse,Domicile; Taille; Signature du titulaire,Signature
es: Apellidos,Primer apellido,APELLIDOS; Nombre,Nombres,NOMBRE; Sexo; Nacionalidad; Fecha de nacimiento; Lugar de nacimiento; Núm. soporte,N.º de documento,Pasaporte N.º,Número de documento,DNI; Número personal,NIE,CURP,RUN,Cédula; Fecha de expedición,Expedición,Fecha de emisión; Fecha de caducidad,Validez,Válido hasta,Vencimiento; Autoridad,Expedido por; Domicilio,Dirección; Estatura; Firma,Firma del titular
it: Cognome,COGNOME; Nome,NOME; Sesso; Cittadinanza; Data di nascita,Nato il; Luogo di nascita,Luogo e data di nascita; Documento n.,Carta n.,Passaporto n.; Codice fiscale; Data di rilascio,Emissione,Rilasciata il; Scadenza,Data di scadenza,Valida fino al; Autorità,Rilasciata da,Comune di; Indirizzo di residenza,Residenza; Statura; Firma del titolare,Firma
nl: Naam,Achternaam,Geslachtsnaam; Voornamen,Voornaam; Geslacht; Nationaliteit; Geboortedatum,Geboren op; Geboorteplaats; Documentnummer,Kaartnummer,Paspoortnr.; Persoonsnummer,Burgerservicenummer,BSN; Datum van afgifte,Afgiftedatum; Geldig tot,Datum einde geldigheid; Autoriteit,Afgegeven door; Adres,Woonplaats; Lengte; Handtekening
pt: Apelido,Apelidos,Sobrenome; Nome,Nomes próprios,Nome(s); Sexo; Nacionalidade; Data de nascimento; Naturalidade,Local de nascimento; N.º documento,Passaporte N.º,Registro Geral; N.º de identificação,CPF,Número pessoal; Data de emissão; Data de validade,Válido até,Validade; Autoridade,Entidade emissora,Órgão expedidor; Morada,Endereço; Altura; Assinatura do titular,Assinatura
pl: Nazwisko,NAZWISKO; Imiona,Imię,IMIONA; Płeć; Obywatelstwo; Data urodzenia; Miejsce urodzenia; Numer dokumentu,Nr paszportu,Seria i numer; PESEL,Numer PESEL; Data wydania; Termin ważności,Data ważności; Organ wydający; Adres zameldowania,Adres; Wzrost; Podpis posiadacza
cs: Příjmení; Jméno,Jména; Pohlaví; Státní občanství; Datum narození; Místo narození; Číslo dokladu,Číslo pasu; Rodné číslo; Datum vydání; Platnost do,Datum skončení platnosti; Vydal,Úřad; Trvalý pobyt,Adresa; Výška; Podpis držitele
sk: Priezvisko; Meno,Meno/Mená; Pohlavie; Štátne občianstvo; Dátum narodenia; Miesto narodenia; Číslo preukazu,Číslo dokladu; Rodné číslo; Dátum vydania; Platnosť do; Vydal,Úrad; Trvalý pobyt,Adresa; Výška; Podpis držiteľa
sv: Efternamn; Förnamn; Kön; Nationalitet,Medborgarskap; Födelsedatum; Födelseort; Passnr,Kortnummer,Dokumentnr; Personnummer,Personnr; Utfärdad,Utfärdandedatum; Giltig till,Sista giltighetsdag; Myndighet,Utfärdad av; Adress; Längd; Namnteckning
da: Efternavn; Fornavne,Fornavn; Køn; Nationalitet,Statsborgerskab; Fødselsdato; Fødested; Pasnr.,Dokumentnr.,Kortnummer; Personnummer,CPR-nr.; Udstedelsesdato,Udstedt; Udløbsdato,Gyldig til; Myndighed,Udstedt af; Adresse,Bopæl; Højde; Underskrift
no: Etternavn; Fornavn; Kjønn; Statsborgerskap; Fødselsdato; Fødested; Passnr.,Dokumentnr.; Fødselsnummer,Personnr.; Utstedt dato,Utstedt; Utløpsdato,Gyldig til; Myndighet,Utstedt av; Adresse; Høyde; Underskrift
fi: Sukunimi; Etunimet,Etunimi; Sukupuoli; Kansalaisuus; Syntymäaika,Syntynyt; Syntymäpaikka; Asiakirjan numero,Passin nro,Kortin nro; Henkilötunnus; Myöntämispäivä,Myönnetty; Viimeinen voimassaolopäivä,Voimassa; Viranomainen,Myöntäjä; Osoite; Pituus; Nimikirjoitus,Allekirjoitus
et: Perekonnanimi; Eesnimed,Eesnimi; Sugu; Kodakondsus; Sünniaeg; Sünnikoht; Dokumendi number; Isikukood; Väljaandmise kuupäev,Välja antud; Kehtiv kuni; Väljaandja; Aadress; Pikkus; Allkiri
lv: Uzvārds; Vārds,Vārdi; Dzimums; Pilsonība,Tautība; Dzimšanas datums; Dzimšanas vieta; Dokumenta Nr.,Pases Nr.; Personas kods; Izdošanas datums; Derīga līdz; Izdevējiestāde; Adrese; Augums; Paraksts
lt: Pavardė; Vardas,Vardai; Lytis; Pilietybė; Gimimo data; Gimimo vieta; Dokumento Nr.,Paso Nr.; Asmens kodas; Išdavimo data; Galioja iki; Išdavė,Išdavusi įstaiga; Adresas; Ūgis; Parašas
hu: Családi név,Vezetéknév; Utónév,Utónevek; Nem; Állampolgárság; Születési idő,Születési dátum; Születési hely; Okmányazonosító,Útlevélszám,Kártyaszám; Személyi azonosító; Kiállítás dátuma,Kiállítva; Érvényes,Érvényességi idő; Hatóság,Kiállító hatóság; Lakcím; Magasság; Aláírás
ro: Nume,Nume/Nom; Prenume; Sex; Cetățenie,Naționalitate; Data nașterii; Loc naștere,Locul nașterii; Nr.,Pașaport nr.; CNP; Data eliberării,Emisă la; Data expirării,Valabilitate; Autoritatea,Emisă de; Domiciliu,Adresa; Înălțime; Semnătura
hr: Prezime; Ime; Spol; Državljanstvo; Datum rođenja; Mjesto rođenja; Broj iskaznice,Broj putovnice; OIB,Osobni broj; Datum izdavanja; Vrijedi do; Izdala,Izdao; Prebivalište,Adresa; Visina; Potpis
sl: Priimek; Ime; Spol; Državljanstvo; Datum rojstva; Kraj rojstva; Številka,Št. potnega lista; EMŠO; Datum izdaje; Velja do; Pristojni organ; Stalno prebivališče,Naslov; Višina; Podpis
sr: Презиме,Prezime; Име,Ime; Пол,Pol; Држављанство,Državljanstvo; Датум рођења,Datum rođenja; Место рођења,Mesto rođenja; Број документа,Broj pasoša; ЈМБГ,JMBG,Лични број; Датум издавања,Datum izdavanja; Важи до,Važi do; Издаје,Organ; Пребивалиште,Adresa; Висина; Потпис
bg: Фамилия; Име,Имена; Пол; Гражданство; Дата на раждане; Място на раждане; № на документа,Документ №; ЕГН,Личен номер; Дата на издаване; Валидност,Валиден до; Издаден от,Орган; Адрес,Постоянен адрес; Ръст; Подпис
ru: Фамилия; Имя,Имя Отчество; Пол; Гражданство; Дата рождения; Место рождения; Номер документа,Паспорт №,Серия и номер; Личный номер,Код; Дата выдачи; Срок действия,Действителен до; Орган‚ выдавший документ,Кем выдан,Паспорт выдан; Адрес,Место жительства; Рост; Подпись владельца,Личная подпись
uk: Прізвище; Ім'я; Стать; Громадянство; Дата народження; Місце народження; Документ №,Номер паспорта; Запис №,РНОКПП; Дата видачі; Дійсний до,Дата закінчення строку дії; Орган‚ що видав; Адреса; Зріст; Підпис
el: Επώνυμο,ΕΠΩΝΥΜΟ; Όνομα,ΟΝΟΜΑ; Φύλο; Ιθαγένεια; Ημερομηνία γέννησης,Ημ. γέννησης; Τόπος γέννησης; Αρ. διαβατηρίου,Αριθμός εγγράφου; Προσωπικός αριθμός,ΑΔΤ; Ημερομηνία έκδοσης,Ημ. έκδοσης; Ημερομηνία λήξης,Λήξη; Αρχή έκδοσης,Εκδ. αρχή; Διεύθυνση; Ύψος; Υπογραφή
tr: Soyadı,SOYADI; Adı,Adı(lar); Cinsiyeti; Uyruğu; Doğum Tarihi; Doğum Yeri; Seri No,Belge No,Pasaport No; T.C. Kimlik No,Kimlik No; Veriliş Tarihi,Düzenlenme Tarihi; Son Geçerlilik,Geçerlilik Tarihi; Veren Makam; Adres,İkametgah; Boy; İmza,İmzası
az: Soyadı; Adı; Cinsi; Vətəndaşlığı; Doğum tarixi,Doğulduğu tarix; Doğulduğu yer; Sənədin nömrəsi,Pasport nömrəsi; Fərdi kod,FİN; Verilmə tarixi; Etibarlıdır,Bitmə tarixi; Verən orqan; Yaşayış yeri; Boyu; İmza
sq: Mbiemri; Emri; Gjinia; Shtetësia; Datëlindja; Vendlindja; Nr. i dokumentit,Pasaporta nr.; Nr. Personal; Data e lëshimit; Data e skadimit; Autoriteti; Adresa; Gjatësia; Nënshkrimi
id: Nama; Nama Depan,Nama Panggilan; Jenis Kelamin; Kewarganegaraan; Tgl Lahir,Tanggal Lahir; Tempat Lahir; No. Paspor,Nomor SIM,No. KTP; NIK; Tgl. Dikeluarkan,Tanggal Pengeluaran; Berlaku Hingga,Berlaku s/d; Kantor yang Mengeluarkan; Alamat; Tinggi; Tanda Tangan
ms: Nama; Nama Diberi; Jantina; Warganegara,Kewarganegaraan; Tarikh Lahir; Tempat Lahir; No. Pasport,No. Dokumen; No. Pengenalan,No. K/P; Tarikh Dikeluarkan; Tarikh Tamat,Tempoh Hingga; Pihak Berkuasa; Alamat; Tinggi; Tandatangan
""".strip()
_DOCUMENTS = """
en: IDENTITY CARD,NATIONAL IDENTITY CARD,PASSPORT,RESIDENCE PERMIT,DRIVING LICENCE,DRIVER LICENSE,Identity Card,Identification Card,CITIZEN CARD,Passport
de: PERSONALAUSWEIS,REISEPASS,AUFENTHALTSTITEL,FÜHRERSCHEIN,IDENTITÄTSKARTE
fr: CARTE D'IDENTITÉ,CARTE NATIONALE D'IDENTITÉ,PASSEPORT,TITRE DE SÉJOUR,PERMIS DE CONDUIRE
es: DOCUMENTO NACIONAL DE IDENTIDAD,PASAPORTE,PERMISO DE RESIDENCIA,PERMISO DE CONDUCCIÓN,CÉDULA DE IDENTIDAD
it: CARTA D'IDENTITÀ,PASSAPORTO,PERMESSO DI SOGGIORNO,PATENTE DI GUIDA
nl: IDENTITEITSKAART,PASPOORT,VERBLIJFSVERGUNNING,RIJBEWIJS
pt: CARTÃO DE CIDADÃO,PASSAPORTE,TÍTULO DE RESIDÊNCIA,CARTA DE CONDUÇÃO
pl: DOWÓD OSOBISTY,PASZPORT,KARTA POBYTU,PRAWO JAZDY
cs: OBČANSKÝ PRŮKAZ,CESTOVNÍ PAS,ŘIDIČSKÝ PRŮKAZ
sk: OBČIANSKY PREUKAZ,CESTOVNÝ PAS,VODIČSKÝ PREUKAZ
sv: NATIONELLT IDENTITETSKORT,PASS,KÖRKORT
da: IDENTITETSKORT,PAS,KØREKORT
no: NASJONALT ID-KORT,PASS,FØRERKORT
fi: HENKILÖKORTTI,PASSI,AJOKORTTI
et: ISIKUTUNNISTUS,PASS,JUHILUBA
lv: PERSONAS APLIECĪBA,PASE,VADĪTĀJA APLIECĪBA
lt: ASMENS TAPATYBĖS KORTELĖ,PASAS,VAIRUOTOJO PAŽYMĖJIMAS
hu: SZEMÉLYAZONOSÍTÓ IGAZOLVÁNY,ÚTLEVÉL,VEZETŐI ENGEDÉLY
ro: CARTE DE IDENTITATE,PAȘAPORT,PERMIS DE CONDUCERE
hr: OSOBNA ISKAZNICA,PUTOVNICA,VOZAČKA DOZVOLA
sl: OSEBNA IZKAZNICA,POTNI LIST,VOZNIŠKO DOVOLJENJE
sr: ЛИЧНА КАРТА,ПАСОШ,ВОЗАЧКА ДОЗВОЛА
bg: ЛИЧНА КАРТА,ПАСПОРТ,СВИДЕТЕЛСТВО ЗА УПРАВЛЕНИЕ
ru: ПАСПОРТ,УДОСТОВЕРЕНИЕ ЛИЧНОСТИ,ВОДИТЕЛЬСКОЕ УДОСТОВЕРЕНИЕ
uk: ПАСПОРТ ГРОМАДЯНИНА,ПОСВІДЧЕННЯ ВОДІЯ
el: ΔΕΛΤΙΟ ΤΑΥΤΟΤΗΤΑΣ,ΔΙΑΒΑΤΗΡΙΟ,ΑΔΕΙΑ ΟΔΗΓΗΣΗΣ
tr: KİMLİK KARTI,PASAPORT,SÜRÜCÜ BELGESİ,NÜFUS CÜZDANI
az: ŞƏXSİYYƏT VƏSİQƏSİ,PASPORT
sq: LETËRNJOFTIM,PASAPORTË,LEJE DREJTIMI
id: KARTU TANDA PENDUDUK,PASPOR,SURAT IZIN MENGEMUDI
ms: KAD PENGENALAN,PASPORT,LESEN MEMANDU
""".strip()
# Faker's name of the country, the state, its code, its citizens.
_STATES = """
en: en_US,UNITED STATES OF AMERICA,USA,USA; en_GB,UNITED KINGDOM,GBR,BRITISH CITIZEN; en_IE,IRELAND,IRL,IRISH; en_AU,AUSTRALIA,AUS,AUSTRALIAN; en_CA,CANADA,CAN,CANADIAN; en_IN,REPUBLIC OF INDIA,IND,INDIAN
de: de_DE,BUNDESREPUBLIK DEUTSCHLAND,D,DEUTSCH; de_AT,REPUBLIK ÖSTERREICH,AUT,ÖSTERREICH; de_CH,SCHWEIZ,CHE,SCHWEIZ
fr: fr_FR,RÉPUBLIQUE FRANÇAISE,FRA,Française; fr_BE,BELGIQUE,BEL,BELGE
es: es_ES,ESPAÑA,ESP,ESP; es_MX,ESTADOS UNIDOS MEXICANOS,MEX,MEXICANA; es_CO,REPÚBLICA DE COLOMBIA,COL,COLOMBIANA; es_CL,REPÚBLICA DE CHILE,CHL,CHILENA
it: it_IT,REPUBBLICA ITALIANA,ITA,ITALIANA
nl: nl_NL,KONINKRIJK DER NEDERLANDEN,NLD,Nederlandse; nl_BE,BELGIË,BEL,Belg
pt: pt_PT,PORTUGAL,PRT,PRT; pt_BR,REPÚBLICA FEDERATIVA DO BRASIL,BRA,BRASILEIRO(A)
pl: pl_PL,RZECZPOSPOLITA POLSKA,POL,POLSKIE
cs: cs_CZ,ČESKÁ REPUBLIKA,CZE,ČESKÁ REPUBLIKA
sk: sk_SK,SLOVENSKÁ REPUBLIKA,SVK,SVK
sv: sv_SE,SVERIGE,SWE,SVENSK
da: da_DK,KONGERIGET DANMARK,DNK,DANSK
no: no_NO,NORGE,NOR,NORSK
fi: fi_FI,SUOMI FINLAND,FIN,SUOMI
et: et_EE,EESTI VABARIIK,EST,EST
lv: lv_LV,LATVIJAS REPUBLIKA,LVA,LATVIJAS
lt: lt_LT,LIETUVOS RESPUBLIKA,LTU,LTU
hu: hu_HU,MAGYARORSZÁG,HUN,MAGYAR
ro: ro_RO,ROMÂNIA,ROU,Română
hr: hr_HR,REPUBLIKA HRVATSKA,HRV,HRVATSKO
sl: sl_SI,REPUBLIKA SLOVENIJA,SVN,SLOVENSKO
sr: hr_HR,РЕПУБЛИКА СРБИЈА,SRB,СРПСКО
bg: bg_BG,РЕПУБЛИКА БЪЛГАРИЯ,BGR,БЪЛГАРИЯ
ru: ru_RU,РОССИЙСКАЯ ФЕДЕРАЦИЯ,RUS,РОССИЙСКАЯ ФЕДЕРАЦИЯ
uk: uk_UA,УКРАЇНА,UKR,Україна
el: el_GR,ΕΛΛΗΝΙΚΗ ΔΗΜΟΚΡΑΤΙΑ,GRC,ΕΛΛΗΝΙΚΗ
tr: tr_TR,TÜRKİYE CUMHURİYETİ,TUR,T.C.
az: az_AZ,AZƏRBAYCAN RESPUBLİKASI,AZE,AZƏRBAYCAN
sq: hr_HR,REPUBLIKA E SHQIPËRISË,ALB,Shqiptare
id: id_ID,REPUBLIK INDONESIA,IDN,WNI
ms: id_ID,MALAYSIA,MYS,WARGANEGARA
""".strip()

# What cards have besides the fields: labels, and values; {n} is a name, {c} a city.
EXTRAS = [
    (tuple(labels.split(",")), tuple(values.split(",")))
    for labels, values in (
        line.split(": ", 1)
        for line in """
Blood group,Blutgruppe,Gol. Darah,Kan Grubu,Grupo sanguíneo,Группа крови: O,A+,B,AB,O+,-
Religion,Agama,Dini: ISLAM,KRISTEN,Catholic,HINDU,BUDDHA,İslam
Marital status,Status Perkawinan,Estado civil,Medeni Hali,État civil,Stan cywilny: KAWIN,BELUM KAWIN,Single,MARRIED,Soltero,BEKAR,S,C
Occupation,Profession,Pekerjaan,Beruf,Ocupación,Professione: KARYAWAN SWASTA,PELAJAR,Engineer,Lehrer,Estudiante,Student,WIRASWASTA
Colour of eyes,Augenfarbe,Couleur des yeux,Eyes,Ojos,Colore degli occhi,Barwa oczu: BRO,BLU,GREEN,BRAUN,Marron,Blau,piwne
Father's name,Baba Adı,Όνομα πατέρα,Nome do pai,Imię ojca,Otec,Padre,Отчество: {n}
Mother's name,Ana Adı,Filiação,Nome da mãe,Madre,Imię matki: {n}
Name at birth,Geburtsname,Nom de naissance,Rodné příjmení,Nazwisko rodowe,Születési név: {n}
RT/RW,Kel/Desa,Kecamatan,Provinsi: 004/012,{c},001/003
Type,Category,Class,Kategorie,Catégorie,Typ: ID,P,B,B AM,C,AR,RP
CAN,Card access number,Code,Zugangsnummer: 123456,807214,551902,440183
Remarks,Anmerkungen,Observations,Uwagi,Notes,Restrictions: NONE,01,B,Arbeitserlaubnis,NONE,70,Student
Weight,Wgt,Hair: 160 lb,BRN,180 lb,BLK,72 kg
Organ donor,Donor,Veteran: YES,NO
Duplicates,Versión,Rev,DD: 00000,02,08/06/2019,3
""".strip().split("\n")
    )
]


class State(NamedTuple):
    """A country that issues documents; `names` is Faker's name of it."""

    lang: str
    names: str
    title: str
    code: str
    citizen: str


def _table(text: str) -> dict[str, list[tuple[str, ...]]]:
    rows = (line.split(": ", 1) for line in text.split("\n"))
    return {
        lang: [tuple(word.strip() for word in part.split(",")) for part in parts.split(";")]
        for lang, parts in rows
    }


LABELS = {lang: dict(zip(_FIELDS, parts, strict=True)) for lang, parts in _table(_LABELS).items()}
DOCUMENTS = {lang: parts[0] for lang, parts in _table(_DOCUMENTS).items()}
STATES = [
    State(lang, *(part[0], part[1], part[2], part[3]))
    for lang, parts in _table(_STATES).items()
    for part in parts
]
_KINDS = ("Republic of {}", "Kingdom of {}", "{}", "Federation of {}", "State of {}")


def state(chance: Chooser, invented: str) -> State:
    """A country: a known one with its language, or an invented one."""
    known = chance.one([state for state in STATES if state.lang != "en"] + STATES)
    if chance.chance(0.5):
        return known
    name = (
        f"{invented.capitalize().rstrip('aeiou')}{chance.one(['ia', 'land', 'stan', 'a', 'ania'])}"
    )
    code = (name.upper() + "XX")[:3]
    citizen = chance.one([code, f"{name}n", name, f"{name[:-2]}ese"]).upper()
    title = chance.one(_KINDS).format(name)
    return State(known.lang, known.names, title.upper(), code, citizen)


def label(chance: Chooser, field: str, languages: list[str]) -> list[str]:
    """The wordings of a field's label in each of the languages."""
    return [chance.one(LABELS[lang][field]) for lang in languages]
